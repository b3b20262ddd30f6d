// A contact of a cluster: what the card hands to the processor, and gets back. See clusters.h.
#ifndef CARD_MEMBER_H
#define CARD_MEMBER_H

typedef struct card_member {
    int place;            // in the colours
    int a, b;             // names of bodies; -1: it cannot move
    int a_in, b_in;       // a contact of that body is beyond the tolerance
    int solved;           // out: x is new
    int counted;          // this machine has it, not only a copy
    int shape_a, shape_b; // names: members have an order that does not depend on machines
    unsigned feature;
    double n[3], arm_a[3], arm_b[3], x[3], u[3]; // u: velocity with all impulses, without bias
    double bias, soft, mu;
    double inverse_mass_a, inverse_mass_b, spin_a[6], spin_b[6]; // inverse inertia: xx yy zz yz xz xy
} card_member;

typedef void card_settle(void *user, card_member *members, int count, double tolerance);

#endif
