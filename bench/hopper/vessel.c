// The model: a vessel of triangles, a lid, the ground, and spheres on a loose lattice in the vessel.
#include "hopper.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDES = 48 }; // of the prism that stands for the round vessel
static const double PI = 3.14159265358979323846;
static const double PITCH = 1.01; // of the lattice, in largest diameters
static const double EMPTY = 0.06; // part of its places
static const double PISTON_MASS = 1e5;
static const double REPOSE = 0.45; // tangent of the angle of a heap, for the room below the orifice

// A number from 0 to 1 that follows from index and k alone.
static double scatter(int index, int k)
{
    uint64_t x = (uint64_t)index * 8 + (uint64_t)k + 1;
    x *= 0x9e3779b97f4a7c15u; // the finaliser of splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

double sphere_radius(const setup *s, int index)
{
    return 0.5 * s->diameter * (1.0 + s->spread * (2.0 * scatter(index, 0) - 1.0));
}

// ---- Shape of the vessel --------------------------------------------------------------------------------------------

// How much higher the wall begins than the orifice.
static double cone_height(const setup *s)
{
    return s->cone < 90.0 ? 0.5 * (s->silo - s->orifice) / tan(s->cone * PI / 180.0) : 0.0;
}

static double radius_at(const setup *s, double z)
{
    const double height = cone_height(s);
    if (z >= height || height == 0.0) return 0.5 * s->silo;
    return 0.5 * s->orifice + fmax(0.0, z / height) * 0.5 * (s->silo - s->orifice);
}

// Corner k of the prism whose section has the area of the circle.
static ph_vec3 corner(double radius, int k, double z)
{
    const double angle = 2.0 * PI * (k % SIDES) / SIDES;
    const double r = radius * sqrt(2.0 * PI / SIDES / sin(2.0 * PI / SIDES));
    return (ph_vec3){r * cos(angle), r * sin(angle), z};
}

// Writes the band between two rings, seen from the axis or from above, as an OBJ file. Results name it.
static bool write_band(const char *path, double low_radius, double low, double high_radius, double high)
{
    FILE *file = fopen(path, "w");
    if (!file) return perror(path), false;
    for (int k = 0; k < 2 * SIDES; k++) {
        const ph_vec3 p = k < SIDES ? corner(low_radius, k, low) : corner(high_radius, k, high);
        fprintf(file, "v %.17g %.17g %.17g\n", p.x, p.y, p.z);
    }
    for (int k = 0; k < SIDES; k++) {
        const int a = 1 + k, b = 1 + (k + 1) % SIDES; // from 1 on
        fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b + SIDES, b, a, a + SIDES, b + SIDES);
    }
    return fclose(file) == 0;
}

// ---- Lattice --------------------------------------------------------------------------------------------------------

// Layers of a close packing, loosened by PITCH and with places left empty at random. It is close to the density at which it
// comes to rest, so that little falls far; what is left of its order goes while it collapses.
typedef struct lattice {
    const setup *s;
    double pitch, play; // play: how far a sphere may be from its place
    int across, at, layer;
    int place, index; // of the next place, of the next sphere
} lattice;

static lattice lattice_start(const setup *s)
{
    const double largest = s->diameter * (1.0 + s->spread), pitch = PITCH * largest;
    return (lattice){s, pitch, 0.5 * (pitch - largest), 2 * (int)(0.6 * s->silo / pitch) + 3, 0, 0, 0, 0};
}

// Place `at` of a layer: rows of a triangular grid, every other layer over the gaps of the one below.
static ph_vec3 lattice_place(const lattice *l, double lowest)
{
    const int i = l->at % l->across - l->across / 2, j = l->at / l->across - l->across / 2;
    const double shift = l->layer % 2 ? 1.0 / 3.0 : 0.0; // of the grid's second direction
    return (ph_vec3){l->pitch * (i + 0.5 * (j & 1) + 1.5 * shift), l->pitch * sqrt(0.75) * (j + shift),
                     lowest + l->play + l->pitch * sqrt(2.0 / 3.0) * l->layer};
}

// The next sphere: row by row, layer by layer, those that are within the vessel.
static ph_vec3 lattice_next(lattice *l)
{
    const double largest = 0.5 * l->s->diameter * (1.0 + l->s->spread);
    for (;;) {
        const ph_vec3 x = lattice_place(l, largest);
        const double room = radius_at(l->s, x.z - 1.5 * largest) - 1.45 * largest - l->play; // sqrt(2): 45 degrees
        if (++l->at == l->across * l->across) l->at = 0, l->layer++;
        if (x.x * x.x + x.y * x.y > fmax(0.0, room) * fmax(0.0, room)) continue;
        if (scatter(l->place++, 4) < EMPTY) continue;
        const int n = l->index++;
        return (ph_vec3){x.x + l->play * (2.0 * scatter(n, 1) - 1.0), x.y + l->play * (2.0 * scatter(n, 2) - 1.0),
                         x.z + l->play * (2.0 * scatter(n, 3) - 1.0)};
    }
}

double fill_height(const setup *s)
{
    lattice l = lattice_start(s);
    double top = 0.0;
    for (int n = 0; n < s->spheres; n++) top = lattice_next(&l).z;
    return top + l.pitch;
}

double drop_height(const setup *s)
{
    if (s->drop > 0.0) return s->drop;
    const double volume = s->spheres * PI / 6.0 * pow(s->diameter, 3.0) / 0.55;
    return 1.5 * cbrt(3.0 * volume * REPOSE * REPOSE / PI) + s->orifice;
}

// ---- The model ------------------------------------------------------------------------------------------------------

static bool add_fixed(ph_spec *spec, const char *name, int index)
{
    ph_body_def body = ph_default_body();
    body.name = name;
    body.fixed = true;
    return ph_spec_add_body(spec, &body) == index;
}

static bool add_surface(ph_spec *spec, const setup *s, const char *path, const char *color)
{
    ph_shape_def shape = ph_default_shape();
    shape.type = "mesh";
    shape.file = path;
    shape.group = 1; // with the piston
    shape.friction = s->wall_friction;
    shape.color = color;
    return ph_spec_add_shape(spec, VESSEL, &shape) >= 0;
}

static bool add_vessel(ph_spec *spec, const setup *s)
{
    const double bottom = cone_height(s), half = 0.5 * s->silo, below = 2.0 * s->lower * s->lower_speed;
    if (!add_fixed(spec, "vessel", VESSEL) || !write_band("wall.obj", half, bottom - below, half, fill_height(s)) ||
        !add_surface(spec, s, "wall.obj", "#8899aa"))
        return false;
    return s->lower > 0.0 || (write_band("bottom.obj", 0.5 * s->orifice, 0.0, half, bottom) &&
                              add_surface(spec, s, "bottom.obj", "#667788"));
}

// So heavy that the medium does not move it, and carried by a force: its motion is that of its start, or what the state is
// told between two steps.
static bool add_piston(ph_spec *spec, const setup *s)
{
    ph_body_def body = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    ph_force_def force = ph_default_force();
    body.name = "piston";
    body.mass = PISTON_MASS;
    body.inertia = (ph_mat3){{{PISTON_MASS, 0, 0}, {0, PISTON_MASS, 0}, {0, 0, PISTON_MASS}}};
    shape.type = "box";
    shape.size = (ph_vec3){1.2 * s->silo, 1.2 * s->silo, 0.2 * s->silo};
    shape.position = (ph_vec3){0.0, 0.0, -0.1 * s->silo};
    shape.friction = s->wall_friction;
    shape.group = 1;
    force.type = "wrench";
    force.body_b = LID;
    force.at_com = true;
    force.force[2].number = PISTON_MASS * GRAVITY;
    return ph_spec_add_body(spec, &body) == LID && ph_spec_add_shape(spec, LID, &shape) >= 0 &&
           ph_spec_add_force(spec, &force) >= 0;
}

static bool add_lid(ph_spec *spec, const setup *s, bool open)
{
    const double width = s->orifice + 4.0 * s->diameter, thickness = 4.0 * s->diameter;
    ph_shape_def shape = ph_default_shape();
    shape.type = "box";
    shape.size = (ph_vec3){width, width, thickness};
    shape.position = (ph_vec3){open ? 0.5 * s->silo + width : 0.0, 0.0, -0.5 * thickness};
    shape.friction = s->wall_friction;
    shape.collide = !open;
    shape.color = "#aa5544";
    return add_fixed(spec, "lid", LID) && ph_spec_add_shape(spec, LID, &shape) >= 0;
}

static bool add_ground(ph_spec *spec, const setup *s)
{
    ph_shape_def shape = ph_default_shape();
    shape.type = "plane";
    shape.size = (ph_vec3){0.0, 0.0, 1.0};
    shape.position = (ph_vec3){0.0, 0.0, -drop_height(s)};
    shape.friction = s->wall_friction;
    return add_fixed(spec, "ground", GROUND) && ph_spec_add_shape(spec, GROUND, &shape) >= 0;
}

// Every fourth layer has another colour, so that one sees where it goes.
static bool add_spheres(ph_spec *spec, const setup *s)
{
    static const char *const colors[] = {"#e8c170", "#4477aa", "#cc6677", "#66aa88"};
    lattice l = lattice_start(s);
    bool good = true;
    for (int n = 0; good && n < s->spheres; n++) {
        char name[24];
        snprintf(name, sizeof name, "s%d", n);
        ph_body_def body = ph_default_body();
        body.name = name;
        const int layer = l.layer;
        body.position = lattice_next(&l);
        ph_shape_def shape = ph_default_shape();
        shape.type = "sphere";
        shape.radius = sphere_radius(s, n);
        shape.density = s->density;
        shape.friction = s->friction;
        shape.color = colors[layer / 8 % 4];
        good =
            ph_spec_add_body(spec, &body) == FIRST_SPHERE + n && ph_spec_add_shape(spec, FIRST_SPHERE + n, &shape) >= 0;
    }
    return good;
}

static void print_problems(const ph_problems *problems)
{
    for (int k = 0; k < ph_problems_count(problems); k++) {
        char text[1024];
        ph_problem_format(ph_problems_get(problems, k), text, sizeof text);
        fprintf(stderr, "hopper: %s\n", text);
    }
}

ph_model *build_model(const setup *s, bool open)
{
    ph_model *model = NULL;
    ph_error error = {0};
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = ph_spec_create(NULL);
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = s->tolerance;
    contact.iterations = s->iterations;
    ph_spec_set_name(spec, "hopper");
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -GRAVITY});
    ph_spec_set_contact(spec, &contact);
    if (!add_vessel(spec, s) || !(s->lower > 0.0 ? add_piston(spec, s) : add_lid(spec, s, open)) ||
        !add_ground(spec, s) || !add_spheres(spec, s))
        fprintf(stderr, "hopper: the model cannot be made\n");
    else if (open && ph_spec_describe(spec, &error) != PH_OK)
        fprintf(stderr, "hopper: %s\n", error.text);
    else
        ph_model_compile(spec, problems, &model);
    print_problems(problems);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}
