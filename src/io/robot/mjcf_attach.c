// attach of MJCF: a body of another model.

#include "io/robot/mjcf.h"

static bool refuse(robot *r, const xml_node *node)
{
    bool good = true;
    for
        XML_EACH(n, node)
        {
            if (xml_is(n, "attach")) {
                robot_fail(r, n, NULL, "save the whole model as one file first", "attach is not read");
                good = false;
            }
            good = refuse(r, n) && good;
        }
    return good;
}

bool mjcf_attach(mjcf *m)
{
    return refuse(m->r, m->root);
}
