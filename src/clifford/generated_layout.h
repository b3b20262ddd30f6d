// Written by tools/clifford/generate.py: the basis elements on which typed values live.
// Do not edit: change the generator and run it; a test compares.
// clang-format off
#ifndef PH_CLIFFORD_GENERATED_LAYOUT_H
#define PH_CLIFFORD_GENERATED_LAYOUT_H

typedef struct layout_term {
    unsigned char component, mask;
    signed char sign;
} layout_term;

static const layout_term twist_terms[] = {
    {0, 96, 1}, {1, 80, -1}, {2, 48, 1}, {3, 144, 1}, {4, 160, 1}, {5, 192, 1},
};

static const layout_term coscrew_terms[] = {
    {0, 9, 1}, {1, 10, 1}, {2, 12, 1}, {3, 6, 1}, {4, 5, -1}, {5, 3, 1},
};

static const layout_term hexavector_terms[] = {
    {0, 249, 1}, {1, 250, 1}, {2, 252, 1}, {3, 246, 1}, {4, 245, -1}, {5, 243, 1},
};

static const layout_term motor_terms[] = {
    {0, 0, 1}, {1, 96, 1}, {2, 80, -1}, {3, 48, 1}, {4, 240, -1}, {5, 144, 1}, {6, 160, 1}, {7, 192, 1},
};

static const layout_term inertia_terms[] = {
    {0, 102, 1}, {0, 85, 1}, {0, 51, 1}, {1, 92, -1}, {1, 58, -1}, {1, 197, -1}, {1, 163, -1}, {2, 57, 1},
    {2, 108, -1}, {2, 147, 1}, {2, 198, -1}, {3, 106, 1}, {3, 89, 1}, {3, 166, 1}, {3, 149, 1}, {4, 153, 1},
    {5, 170, 1}, {6, 204, 1}, {7, 169, 1}, {7, 154, 1}, {8, 201, 1}, {8, 156, 1}, {9, 202, 1}, {9, 172, 1},
};

static const layout_term sym4_terms[] = {
    {0, 153, 1}, {1, 170, 1}, {2, 204, 1}, {3, 169, 1}, {3, 154, 1}, {4, 201, 1}, {4, 156, 1}, {5, 202, 1},
    {5, 172, 1}, {6, 105, 1}, {6, 150, 1}, {7, 89, -1}, {7, 149, -1}, {8, 57, 1}, {8, 147, 1}, {9, 106, 1},
    {9, 166, 1}, {10, 90, -1}, {10, 165, -1}, {11, 58, 1}, {11, 163, 1}, {12, 108, 1}, {12, 198, 1}, {13, 92, -1},
    {13, 197, -1}, {14, 60, 1}, {14, 195, 1}, {15, 102, 1}, {16, 85, 1}, {17, 51, 1}, {18, 86, -1}, {18, 101, -1},
    {19, 54, 1}, {19, 99, 1}, {20, 53, -1}, {20, 83, -1},
};

static const layout_term point_terms[] = {
    {0, 112, 1}, {1, 224, 1}, {2, 208, -1}, {3, 176, 1},
};

static const layout_term plane_terms[] = {
    {0, 16, 1}, {1, 32, 1}, {2, 64, 1}, {3, 128, 1},
};

#endif
