// Files of shapes, and the mass of what is in them.

#include "folder.h"
#include "test.h"

#include "math/vec3.h"
#include "model/mesh.h"
#include "model/shape_file.h"
#include "polhode/io.h"
#include "polhode/model.h"
#include "polhode/spec.h"

static const char *const cube_obj = "# a cube with edge 2\r\n"
                                    "o cube\n"
                                    "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2e0 +2 2.\n"
                                    "v 0 2 2\n"
                                    "vt 0 0\nvn 0 0 1\n"
                                    "f 1/1/1 4/1/1 3/1/1 2/1/1\n"
                                    "f -4//1 -3//1 -2//1 -1//1\n"
                                    "f 1/1 2/1 6/1 5/1\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static folder here;

static void remove_folder(void)
{
    folder_remove(&here);
}

static const char *folder_path(const char *name)
{
    static file_path path;
    path = folder_file(&here, name);
    return path.text;
}

static void folder_write(const char *name, const char *text)
{
    if (!here.path[0]) {
        here = folder_make();
        atexit(remove_folder);
    }
    FILE *file = fopen(folder_path(name), "wb");
    CHECK(file && fputs(text, file) >= 0);
    if (file) fclose(file);
}

static ph_status read_as(const char *type, const char *file, arena *memory, ph_shape_def *shape, ph_error *error)
{
    *shape = ph_default_shape();
    shape->type = type;
    shape->file = file;
    return shape_file_read(shape, here.path, memory, error);
}

static void check_cube(const ph_shape_def *shape)
{
    arena *memory = arena_create(NULL);
    mesh m;
    mesh_defects d;
    if (CHECK_EQ_INT(shape->data_rows, 12) && CHECK_EQ_INT(shape->data_columns, 9)) {
        CHECK(mesh_create(shape->data, 12, memory, &m, &d));
        CHECK(mesh_is_sound(&d));
        CHECK_EQ_INT(d.open_edges, 0);
        CHECK_EQ_INT(m.vertex_count, 8);
        CHECK_NEAR(d.volume, 8.0, 1e-14);
        for (int t = 0; t < 12; t++) {
            for (int k = 0; k < 3; k++) CHECK(m.beside[t][k] >= 0 && m.beside[t][k] != t);
        }
    }
    arena_destroy(memory);
}

TEST(obj_and_stl_give_the_same_cube)
{
    arena *memory = arena_create(NULL);
    ph_shape_def cube, other;
    ph_error error = {.text = ""};
    folder_write("cube.obj", cube_obj);
    CHECK_EQ_INT(read_as("mesh", "cube.obj", memory, &cube, &error), PH_OK);
    check_cube(&cube);
    CHECK_EQ_INT(read_as("hull", "cube.obj", memory, &other, &error), PH_OK);
    CHECK(other.data_rows == 8 && other.data_columns == 3);

    static char text[20000], binary[84 + 12 * 50];
    int used = sprintf(text, "solid cube\n");
    const unsigned char count[4] = {12, 0, 0, 0};
    memcpy(binary + 80, count, 4);
    for (int t = 0; cube.data && t < 12; t++) {
        used += sprintf(text + used, " facet normal 0 0 0\n  outer loop\n");
        for (int k = 0; k < 9; k++) {
            const float x = (float)cube.data[9 * t + k];
            memcpy(binary + 84 + 50 * t + 12 + 4 * k, &x, 4); // the tests run on little-endian machines
            if (k % 3 == 2) {
                const double *p = cube.data + 9 * t + k - 2;
                used += sprintf(text + used, "   vertex %d.0 %de0 %d\n", (int)p[0], (int)p[1], (int)p[2]);
            }
        }
        used += sprintf(text + used, "  endloop\n endfacet\n");
    }
    sprintf(text + used, "endsolid cube\n");
    folder_write("text.stl", text);
    FILE *file = fopen(folder_path("binary.stl"), "wb");
    CHECK(file && fwrite(binary, 1, sizeof binary, file) == sizeof binary);
    if (file) fclose(file);
    CHECK_EQ_INT(read_as("mesh", "text.stl", memory, &other, &error), PH_OK);
    check_cube(&other);
    CHECK_EQ_INT(read_as("mesh", "binary.stl", memory, &other, &error), PH_OK);
    check_cube(&other);
    arena_destroy(memory);
}

TEST(height_fields_from_tables_and_pictures)
{
    arena *memory = arena_create(NULL);
    ph_shape_def s;
    ph_error error = {.text = ""};
    folder_write("heights.csv", "# three columns\n0, 0.5 ,1\n\n-1,2e-1,3 # the second row\n");
    CHECK_EQ_INT(read_as("heightfield", "heights.csv", memory, &s, &error), PH_OK);
    CHECK(s.data_rows == 2 && s.data_columns == 3);
    CHECK(s.data && s.data[1] == 0.5 && s.data[3] == -1.0 && s.data[4] == 0.2 && s.data[5] == 3.0);
    folder_write("plain.pgm", "P2\n# a picture\n3 2\n10\n0 5 10\n10 0 1\n");
    CHECK_EQ_INT(read_as("heightfield", "plain.pgm", memory, &s, &error), PH_OK);
    CHECK(s.data_rows == 2 && s.data_columns == 3);
    CHECK(s.data && s.data[1] == 0.5 && s.data[2] == 1.0 && s.data[5] == 0.1);
    folder_write("raw.pgm", "P5 2 2 255\nAz09");
    CHECK_EQ_INT(read_as("heightfield", "raw.pgm", memory, &s, &error), PH_OK);
    CHECK(s.data && s.data_rows == 2 && s.data[0] == 'A' / 255.0 && s.data[3] == '9' / 255.0);
    folder_write("short.pgm", "P5 20 20 255\nAz09");
    CHECK_EQ_INT(read_as("heightfield", "short.pgm", memory, &s, &error), PH_BAD_MODEL);
    arena_destroy(memory);
}

TEST(what_is_wrong_is_said_with_its_line)
{
    static const struct {
        const char *type, *text, *says;
    } cases[] = {
        {"mesh", "v 0 0\n", "x.dat, line 1: z is missing"},
        {"mesh", "v 0 0 0\nv 1e999 0 0\n", "x.dat, line 2: x is too large"},
        {"mesh", "v 0 0 0\nf 1 1\n", "x.dat, line 2: a face needs three corners at least, this has 2"},
        {"mesh", "v 0 0 0\nf 1 0 1\n", "x.dat, line 2: there is no point 0, there are 1 so far"},
        {"mesh", "v 0 0 0\nf 1 -2 1\n", "x.dat, line 2: there is no point -2, there are 1 so far"},
        {"mesh", "v 0 0 0,5\n", "x.dat, line 1: z is '0,5', not a finite number"},
        {"heightfield", "0 1\n2 inf\n", "x.dat, line 2: a value is 'inf', not a finite number"},
        {"heightfield", "", "x.dat has no numbers"},
        {"hull", "", "x.dat has no points: it is not an OBJ or STL file"},
    };
    arena *memory = arena_create(NULL);
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
        ph_shape_def s;
        ph_error error = {.text = ""};
        folder_write("x.dat", cases[k].text);
        CHECK_EQ_INT(read_as(cases[k].type, "x.dat", memory, &s, &error), PH_BAD_MODEL);
        CHECK_STR(error.text, cases[k].says);
        CHECK(!s.data);
    }
    arena_destroy(memory);
}

// A cube given as box, as hull and as mesh weighs the same.
static void check_refusal(const char *file, const char *part)
{
    arena *memory = arena_create(NULL);
    ph_shape_def shape;
    ph_error error = {.text = ""};
    CHECK(read_as("mesh", file, memory, &shape, &error) != PH_OK);
    if (!CHECK(strstr(error.text, part) != NULL)) {
        printf("  %s: %s\n", file, error.text);
    }
    arena_destroy(memory);
}

static void make_link(const char *to, const char *name)
{
    CHECK_EQ_INT(symlink(to, folder_path(name)), 0);
}

TEST(no_link_leads_out_of_the_folder_of_the_model)
{
    const folder other = folder_make();
    const file_path secret = folder_file(&other, "secret.obj");
    char up[600];
    folder_write("cube.obj", cube_obj);
    FILE *file = fopen(secret.text, "wb");
    CHECK(file && fputs(cube_obj, file) >= 0);
    if (file) fclose(file);
    snprintf(up, sizeof up, "..%s", strrchr(other.path, '/'));
    make_link("cube.obj", "inside.obj");
    make_link(secret.text, "absolute.obj");
    make_link(up, "folder");
    make_link("round.obj", "round.obj");
    make_link("/dev/zero", "zero.obj");
    CHECK_EQ_INT(mkfifo(folder_path("pipe.obj"), 0600), 0);

    arena *memory = arena_create(NULL);
    ph_shape_def shape;
    ph_error error;
    CHECK_EQ_INT(read_as("mesh", "inside.obj", memory, &shape, &error), PH_OK);
    arena_destroy(memory);
    check_refusal("absolute.obj", "leads out of the model's folder");
    check_refusal("folder/secret.obj", "leads out of the model's folder");
    check_refusal("round.obj", "cannot read");
    check_refusal("zero.obj", "not a regular file");
    check_refusal("pipe.obj", "not a regular file"); // and does not wait for it
    check_refusal(".", "directory");
    folder_remove(&other);
}

TEST(mass_of_shapes_in_files)
{
    folder_write("cube.obj", cube_obj);
    const file_path path = folder_file(&here, "cube.obj"); // from the root
    ph_spec *spec = ph_spec_create(NULL);
    for (int k = 0; k < 3; k++) {
        ph_body_def b = ph_default_body();
        ph_shape_def s = ph_default_shape();
        b.name = k == 0 ? "box" : k == 1 ? "hull" : "mesh";
        s.type = b.name;
        s.density = 500.0;
        s.size = (ph_vec3){2.0, 2.0, 2.0};
        s.position = k == 0 ? (ph_vec3){1.0, 1.0, 1.0} : (ph_vec3){0.0, 0.0, 0.0};
        s.file = k ? path.text : NULL;
        s.orientation = (ph_quat){1.0, 0.0, 0.0, 0.0};
        CHECK_EQ_INT(ph_spec_add_body(spec, &b), k);
        CHECK_EQ_INT(ph_spec_add_shape(spec, k, &s), 0);
    }
    ph_model *model = NULL;
    if (CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK)) {
        for (int k = 0; k < 3; k++) {
            const ph_body_info info = ph_model_body(model, k);
            CHECK_REL(info.mass, 4000.0, 1e-14);
            CHECK_NEAR(ph_norm(ph_sub(info.com, ph_vec(1.0, 1.0, 1.0))), 0.0, 1e-14);
            for (int i = 0; i < 9; i++) {
                CHECK_NEAR(info.inertia.m[i / 3][i % 3], i % 4 ? 0.0 : 4000.0 * 8.0 / 12.0, 1e-10);
            }
        }
        CHECK_EQ_INT(ph_model_shape(model, 2, 0)->data_rows, 12);
    }
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}
