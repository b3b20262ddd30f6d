// The hopper: spheres settle in a silo, its lid opens, they flow out onto the ground. What is asked of a granular medium that
// nobody tuned: the stress of a silo saturates with depth (Janssen 1895), the outflow does not depend on the filling and
// goes with the power 5/2 of the orifice (Beverloo, Leniger and van de Velde 1961).
#ifndef BENCH_HOPPER_H
#define BENCH_HOPPER_H

#include <polhode/polhode.h>

#include <stdbool.h>

#define GRAVITY 9.81

// SI units; the z axis is that of the silo, the orifice lies in z = 0.
typedef struct setup {
    int spheres;
    double diameter, spread;        // mean; all sizes from (1 - spread) to (1 + spread) times it
    double density;                 // of the spheres
    double friction, wall_friction; // between spheres; against the vessel, its lid and the ground
    double silo, orifice;           // diameters
    double cone;                    // half angle of the bottom, degrees; 90: flat
    double drop;                    // from the orifice to the ground; 0: so that the heap stays clear of it
    double step, tolerance;
    int iterations, threads;
    double fill, flow; // how long: closed, open
    double lower,
        lower_speed; // how long and how fast a piston in place of the bottom sinks after the filling; then nothing flows
    int frames;      // of the motion that are kept, the first at the opening, at the most; 0: none
    double frame_every; // s
    double save_every;  // s of real time between checkpoints
    bool resume;
    double stop; // simulated time at which to stop as if interrupted; 0: never
} setup;

enum { VESSEL, LID, GROUND, FIRST_SPHERE }; // bodies
enum { WALL, BOTTOM };                      // shapes of the vessel

// ---- vessel.c -------------------------------------------------------------------------------------------------------

double sphere_radius(const setup *s, int index);
double fill_height(const setup *s); // of the loose lattice the spheres start from
double drop_height(const setup *s);
// With the lid, or with it put aside. NULL after a message.
ph_model *build_model(const setup *s, bool open);

// ---- measure.c ------------------------------------------------------------------------------------------------------

enum { BINS = 60 }; // over the height of the silo

typedef struct profile { // of the silo at rest, mean over `samples` steps
    int samples;
    double bottom, height;                        // where the straight wall begins; above it, to the highest bin
    double mass[BINS], normal[BINS], shear[BINS]; // of spheres, kg; forces on the wall: outward, downward (N)
    double floor;                                 // force on bottom and lid, downward (N)
} profile;

// Janssen's law with what was measured: sigma(z) = rho g L (1 - exp(-z/L)), L = D/(4 mu K), z from the surface down.
typedef struct janssen {
    double density;            // bulk, kg/m^3
    double surface;            // height of the free surface if the medium were even
    double stress[BINS];       // vertical, at the lower end of each bin, Pa
    double ratio, mobilised;   // K = wall pressure by vertical stress; wall shear by wall pressure
    double length, saturation; // L, rho g L
    double floor, floor_law;   // stress on the floor: measured, by the law
    double lowest, lowest_law; // mean vertical stress of the lower half: measured, by the law
} janssen;

typedef struct moment { // one row of series.csv
    double time, mass_out, floor, wall_shear, wall_normal, speed, penetration, residual, step_s, memory_mb;
    int out, contacts, iterations;
    bool missed;
} moment;

typedef struct outflow {                  // of the steady part
    double rate, first_half, second_half; // kg/s
    double from, until;                   // s
    double beverloo;                      // kg/s, with the bulk density that was measured
} outflow;

typedef struct cost {
    double simulated, seconds, memory_mb; // memory: of the process, at the most
    double overlap, residual;             // largest
    int contacts;                         // most in a step
    int missed, rows;                     // rows of the series, those with a step that missed the tolerance
} cost;

moment observe(const setup *s, const ph_model *model, ph_state *state, const ph_step_report *report, double step_s);
void profile_add(profile *p, const setup *s, const ph_model *model, ph_state *state);
janssen janssen_of(const profile *p, const setup *s);
double beverloo_rate(const setup *s, double bulk_density);
outflow outflow_of(const setup *s, const moment *moments, int count, double total_mass, double bulk_density);

// ---- report.c -------------------------------------------------------------------------------------------------------

bool write_profile(const profile *p, const janssen *j, const setup *s);
bool read_profile(profile *p); // what write_profile has written
bool draw_silo(const profile *p, const janssen *j, const setup *s);
bool draw_outflow(const moment *moments, int count, const outflow *o, const setup *s);
// One line for each number, for bench/hopper/all. `o` may be NULL.
bool write_summary(const setup *s, const janssen *j, const outflow *o, const cost *c);
double textbook_saturation(const setup *s); // with friction and K of 0.4 and 1500 kg/m^3, Pa
void print_silo(const janssen *j, const setup *s);
void print_outflow(const outflow *o, const setup *s);

#endif
