#include "model/scales.h"

#include "joints/chain.h"
#include "joints/rolling.h"
#include "joints/velocity_rows.h"
#include "math/mat3.h"
#include "math/vec3.h"

static double gyration(const body *b)
{
    return b->moving >= 0 && !body_is_rotor(b) ? sqrt(0.5 * ph_trace(b->kind->J) / b->kind->mass) : 0.0;
}

static double lever(const ph_model *model, int body, ph_vec3 s)
{
    const body_kind *kind = model->bodies[body].kind;
    return kind->fixed || body == model->body_count ? 0.0 : ph_norm(s);
}

double joint_size(const ph_model *model, const joint *j)
{
    double size = 0.0;
    for (int k = 0; k < j->body_count; k++) {
        size = ph_max(size, gyration(&model->bodies[j->bodies[k]]));
    }
    if (j->gear) {
        return ph_max(size, ph_max(joint_size(model, j->gear->joints[0]), joint_size(model, j->gear->joints[1])));
    }
    if (j->rolling) {
        const ph_vec3 squares = j->rolling->squares;
        size = ph_max(size, ph_max(j->rolling->rho, sqrt(ph_max(squares.x, ph_max(squares.y, squares.z)))));
    }
    size = ph_max(size, ph_max(lever(model, j->a, j->s_a), lever(model, j->b, j->s_b)));
    return ph_max(size, j->length);
}

double mechanism_size(const ph_model *model)
{
    double size = 0.0;
    for (int i = 0; i < model->joint_count; i++) {
        size = ph_max(size, joint_size(model, &model->joints[i]));
    }
    for (int k = 0; !(size > 0.0) && k < model->moving_count; k++) {
        size = ph_max(size, gyration(&model->bodies[model->moving[k]]));
    }
    return size > 0.0 && isfinite(size) ? size : 1.0;
}

double mechanism_unit(const ph_model *model)
{
    int exponent;
    frexp(mechanism_size(model) * 0.7, &exponent); // nearest: sizes from 0.71 to 1.43 give 1
    return ldexp(1.0, exponent);
}

static bool is_slide(const joint *j, int k)
{
    return k < j->coordinate_count && coordinate_slides(j->coordinates[k]);
}

// A row of velocities that has velocities of points in it, and not of turns alone.
static bool moves_along(const joint *j, int i)
{
    const value *k = j->velocities ? j->velocities->values + VELOCITY_VALUES * i : NULL;
    return k && (k[0].program || k[0].number != 0.0 || k[1].program || k[1].number != 0.0 || k[2].program ||
                 k[2].number != 0.0);
}

static bool is_length(const joint *j, row it)
{
    switch ((row_kind)it.kind) {
    case ROW_POINT:
    case ROW_ALONG:
    case ROW_LENGTH:
    case ROW_SCREW:
    case ROW_TOUCH:
    case ROW_SLIP:
        return true;
    case ROW_VELOCITY:
        return moves_along(j, it.i);
    case ROW_MOTOR:
        return is_slide(j, it.i);
    case ROW_CHAIN:
        return j->chain->motions[it.i].slides;
    case ROW_GEAR:
        return j->gear && is_slide(j->gear->joints[1], 0);
    case ROW_DOT:
    case ROW_ROTOR:
        break;
    }
    return false;
}

void joint_note_lengths(joint *j)
{
    int r = 0;
    j->lengths = 0;
    for (int k = 0; k < j->kind_count; k++) {
        const int rows = j->rows[k].kind == ROW_POINT ? 3 : 1;
        if (is_length(j, j->rows[k])) {
            j->lengths |= (uint8_t)(((1u << rows) - 1u) << r);
        }
        r += rows;
    }
}
