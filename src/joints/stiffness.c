// d(B^T lambda)/dq: how the constraint forces of a joint change with the positions at fixed multipliers.
//
// First the derivative H of the forces (tau_a, tau_b, f_b; f_a = -f_b) in world axes by (alpha_a, alpha_b, u_b), from
// delta a_i = alpha_a x a_i and so on (geometry.h). With a = a_i, b = b_k, e = d + r_a, n = d/|d|:
//
//     ALONG    tau_a = a x e        tau_b = r_b x a      f_b = a
//     DOT      tau_a = a x b        tau_b = b x a
//     LENGTH   tau_a = n x r_a      tau_b = r_b x n      f_b = n,   delta n = P delta d,   P = (I - n n^T)/|d|
//     POINT    tau_a = lambda x r_a tau_b = r_b x lambda f_b = lambda
//
// Then to body axes: tau_body = R^T tau and alpha = R theta give R_a^T (H_aa + tau_a~) R_a on the diagonal, because
// delta(R^T tau) = R^T (delta tau - alpha x tau), and R_a^T H_ab R_b beside it.

#include "joints/chain.h"

// ---- World axes -----------------------------------------------------------------------------------------------------

void along_hessian(const joint *j, const geometry *g, int i, double weight, hessian *H)
{
    const ph_vec3 a = axis_a(j, g, i), e = ph_add(g->d, g->r_a);
    const ph_mat3 cross_a = ph_hat(a);
    hessian_add(&H->aa, weight, hat_hat(e, a));       // (alpha_a x a) x e = e~ a~ alpha_a
    hessian_add(&H->ab, -weight, hat_hat(a, g->r_b)); // a x (alpha_b x r_b)
    hessian_add(&H->au, weight, cross_a);             // a x u_b
    hessian_add(&H->ba, -weight, hat_hat(g->r_b, a)); // r_b x (alpha_a x a)
    hessian_add(&H->bb, weight, hat_hat(a, g->r_b));  // (alpha_b x r_b) x a
    hessian_add(&H->ua, -weight, cross_a);            // alpha_a x a
}

void dot_hessian(const joint *j, const geometry *g, int i, int k, double weight, hessian *H)
{
    const ph_vec3 a = axis_a(j, g, i), b = axis_b(j, g, k);
    const ph_mat3 ba = hat_hat(b, a), ab = hat_hat(a, b);
    hessian_add(&H->aa, weight, ba);  // (alpha_a x a) x b
    hessian_add(&H->ab, -weight, ab); // a x (alpha_b x b)
    hessian_add(&H->ba, -weight, ba); // b x (alpha_a x a)
    hessian_add(&H->bb, weight, ab);  // (alpha_b x b) x a
}

// A force f on b at the end of d and its opposite on a at the other end, f changing by P delta d.
static void force_hessian(const geometry *g, ph_vec3 f, ph_mat3 P, hessian *H)
{
    const ph_mat3 A = ph_hat(g->r_a), B = ph_hat(g->r_b), F = ph_hat(f);
    const ph_mat3 AP = ph_mat_mul(A, P), BP = ph_mat_mul(B, P);
    // delta f = P (u_b - B alpha_b + A alpha_a), u_a entering as -u_b
    hessian_add(&H->ua, 1.0, ph_mat_mul(P, A));
    hessian_add(&H->ub, -1.0, ph_mat_mul(P, B));
    hessian_add(&H->uu, 1.0, P);
    // tau_b = r_b x f: (alpha_b x r_b) x f + r_b x delta f
    hessian_add(&H->ba, 1.0, ph_mat_mul(BP, A));
    hessian_add(&H->bb, 1.0, ph_mat_sub(ph_mat_mul(F, B), ph_mat_mul(BP, B)));
    hessian_add(&H->bu, 1.0, BP);
    // tau_a = -r_a x f
    hessian_add(&H->aa, -1.0, ph_mat_add(ph_mat_mul(F, A), ph_mat_mul(AP, A)));
    hessian_add(&H->ab, 1.0, ph_mat_mul(AP, B));
    hessian_add(&H->au, -1.0, AP);
}

static void length_hessian(const geometry *g, double weight, hessian *H)
{
    const ph_vec3 n = ph_unit(g->d);
    const ph_mat3 P = ph_mat_scale(weight / ph_norm(g->d), ph_mat_sub(ph_identity(), ph_outer(n, n)));
    force_hessian(g, ph_scale(weight, n), P, H);
}

static void row_hessian(const joint *j, const geometry *g, row it, double weight, hessian *H)
{
    switch ((row_kind)it.kind) {
    case ROW_POINT:
    case ROW_GEAR:
        break;
    case ROW_ALONG:
        along_hessian(j, g, it.i, weight, H);
        break;
    case ROW_DOT:
        dot_hessian(j, g, it.i, it.j, weight, H);
        break;
    case ROW_LENGTH:
        length_hessian(g, weight, H);
        break;
    case ROW_SCREW:
        along_hessian(j, g, 2, weight, H);
        coordinate_hessian(j, g, (coordinate){.kind = COORDINATE_TURN, .i = 2}, -j->pitch * weight, H);
        break;
    case ROW_MOTOR:
        coordinate_hessian(j, g, j->coordinates[it.i], weight, H);
        break;
    case ROW_ROTOR:
        coordinate_hessian(j, g, j->coordinates[it.i], joint_root(j, it.i) * weight, H);
        break;
    case ROW_TOUCH: // slip_stiffness
    case ROW_SLIP:
    case ROW_VELOCITY:
    case ROW_CHAIN: // chain_stiffness
        break;
    }
}

// ---- Body axes ------------------------------------------------------------------------------------------------------

static void add_block(double K[36], int row0, int column0, double sign, ph_mat3 M)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            K[6 * (row0 + i) + column0 + k] += sign * M.m[i][k];
        }
    }
}

// K_xy += [R_x^T H_xy R_y, sign_y R_x^T H_xu; sign_x H_uy R_y, sign_x sign_y H_uu], where the sign is -1 for a, +1 for b.
static void add_pair(double K[36], ph_mat3 R_x, double sign_x, ph_mat3 R_y, double sign_y, ph_mat3 xy, ph_mat3 xu,
                     ph_mat3 uy, ph_mat3 uu)
{
    add_block(K, 0, 0, 1.0, ph_mat_tmul(R_x, ph_mat_mul(xy, R_y)));
    add_block(K, 0, 3, sign_y, ph_mat_tmul(R_x, xu));
    add_block(K, 3, 0, sign_x, ph_mat_mul(uy, R_y));
    add_block(K, 3, 3, sign_x * sign_y, uu);
}

void joint_spread_pairs(const geometry *g, const gradient *force, const hessian *H, double *aa, double *ab, double *ba,
                        double *bb)
{
    if (aa) {
        add_pair(aa, *g->R_a, -1.0, *g->R_a, -1.0, ph_mat_add(H->aa, ph_hat(force->alpha_a)), H->au, H->ua, H->uu);
    }
    if (bb) {
        add_pair(bb, *g->R_b, 1.0, *g->R_b, 1.0, ph_mat_add(H->bb, ph_hat(force->alpha_b)), H->bu, H->ub, H->uu);
    }
    if (aa && bb) {
        add_pair(ab, *g->R_a, -1.0, *g->R_b, 1.0, H->ab, H->au, H->ub, H->uu);
        add_pair(ba, *g->R_b, 1.0, *g->R_a, -1.0, H->ba, H->bu, H->ua, H->uu);
    }
}

void joint_spread(const geometry *g, const gradient *force, const hessian *H, int slot_a, int slot_b,
                  double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36])
{
    double *aa = slot_a >= 0 ? K[slot_a][slot_a] : NULL, *bb = slot_b >= 0 ? K[slot_b][slot_b] : NULL;
    const bool both = aa && bb;
    joint_spread_pairs(g, force, H, aa, both ? K[slot_a][slot_b] : NULL, both ? K[slot_b][slot_a] : NULL, bb);
}

static bool is_slip_kind(row it)
{
    return it.kind == ROW_TOUCH || it.kind == ROW_SLIP || it.kind == ROW_VELOCITY;
}

void joint_stiffness(const joint *j, const motion *at, const double *lambda,
                     double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36])
{
    const frame *frames = at->frames;
    if (j->slips) slip_stiffness(j, at, lambda, K);
    if (j->gear) {
        gear_stiffness(j, frames, *lambda, K);
        return;
    }
    if (j->kind_count > 0 && j->rows[0].kind == ROW_CHAIN) {
        chain_stiffness(j, frames, lambda, K);
        return;
    }
    const geometry g = joint_geometry(j, frames);
    gradient force = {0};
    hessian H = {0};
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        if (it.kind == ROW_POINT) {
            const ph_vec3 f = ph_vec(lambda[0], lambda[1], lambda[2]);
            const gradient point = {ph_cross(f, g.r_a), ph_cross(g.r_b, f), f};
            force = gradient_madd(force, 1.0, point);
            force_hessian(&g, f, ph_mat_zero(), &H);
            lambda += 3;
        } else {
            const double weight = is_slip_kind(it) ? 0.0 : *lambda;
            force = gradient_madd(force, weight, row_gradient(j, &g, it, at));
            row_hessian(j, &g, it, weight, &H);
            lambda++;
        }
    }
    joint_spread(&g, &force, &H, j->slot_a, j->slot_b, K);
}
