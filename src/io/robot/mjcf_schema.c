// The elements and attributes of MJCF, so that a typing error is one.

#include "base/suggest.h"
#include "io/robot/mjcf.h"

#include <stdio.h>
#include <string.h>

// By the manual of MuJoCo 4.0, and some that older files have. An element that stands in several places has the attributes of
// all of them.
static const struct {
    const char *element, *attributes;
} known[] =
    {
        {"accelerometer", "cutoff delay interp interval name noise nsample site user"},
        {"actuator", ""},
        {"actuatorfrc", "actuator cutoff delay interp interval name noise nsample user"},
        {"actuatorpos", "actuator cutoff delay interp interval name noise nsample user"},
        {"actuatorvel", "actuator cutoff delay interp interval name noise nsample user"},
        {"adhesion", "body class ctrlrange delay forcelimited forcerange gain group interp name nsample user"},
        {"asset", ""},
        {"attach", "body frame model prefix"},
        {"ballangvel", "cutoff delay interp interval joint name noise nsample user"},
        {"ballquat", "cutoff delay interp interval joint name noise nsample user"},
        {"body", "axisangle childclass euler fuse gravcomp mocap name pos quat simple sleep user xyaxes zaxis"},
        {"bone", "bindpos bindquat body vertid vertweight"},
        {"camera",
         "axisangle class euler focal focalpixel fovy ipd mode name output pos principal principalpixel projection quat resolution sensorsize target user xyaxes zaxis"},
        {"camprojection", "camera cutoff delay interp interval name noise nsample site user"},
        {"clock", "cutoff delay interp interval name noise nsample user"},
        {"compiler",
         "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict convexhull coordinate discardvisual eulerseq exactmeshinertia fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough savecanonical savecompiled saveinertial settotalmass strippath texturedir usethread"},
        {"composite",
         "count curve flatinertia initial offset prefix quat size solimpsmooth solrefsmooth spacing type vertex"},
        {"config", "key value"},
        {"connect", "active anchor body1 body2 class name site1 site2 solimp solref"},
        {"contact",
         "activelayers body1 body2 conaffinity condim contype cutoff data delay friction gap geom1 geom2 interp interval margin name noise nsample num passive priority reduce selfcollide site solimp solmix solref subtree1 subtree2 user"},
        {"custom", ""},
        {"cylinder",
         "area armature bias class cranklength cranksite ctrllimited ctrlrange damping delay diameter forcelimited forcerange gear group interp joint jointinparent lengthrange name nsample refsite site slidersite tendon timeconst user"},
        {"damper",
         "armature class cranklength cranksite ctrlrange damping delay forcelimited forcerange gear group interp joint jointinparent kv lengthrange name nsample refsite site slidersite tendon user"},
        {"dcmotor",
         "armature class cogging controller cranklength cranksite ctrllimited ctrlrange damping delay gear group inductance input interp joint jointinparent lengthrange lugre motorconst name nominal nsample refsite resistance saturation site slidersite tendon thermal user"},
        {"default", "class"},
        {"deformable", ""},
        {"distance", "body1 body2 cutoff delay geom1 geom2 interp interval name noise nsample user"},
        {"e_kinetic", "cutoff delay interp interval name noise nsample user"},
        {"e_potential", "cutoff delay interp interval name noise nsample user"},
        {"edge", "damping equality solimp solref stiffness"},
        {"elasticity", "damping elastic2d poisson section sectionsize shear thickness yield young"},
        {"element", "objname objtype prm"},
        {"equality", "active solimp solref"},
        {"exclude", "body1 body2 name"},
        {"extension", ""},
        {"fixed",
         "actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin name range solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user"},
        {"flag",
         "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd override passive refsafe sensor sensornoise sleep speculative spring warmstart"},
        {"flex",
         "active body cellcount class dim dof element elemtexcoord flatskin flex group material name node nodecoord radius rgba solimp solref texcoord vertex"},
        {"flexcomp",
         "axisangle cellcount count dim dof element euler file flatskin group inertiabox mass material mesh name origin point pos quat radius rgba rigid scale spacing texcoord type xyaxes zaxis"},
        {"flexstrain", "active cell class flex name solimp solref"},
        {"force", "cutoff delay interp interval name noise nsample site user"},
        {"frame", "axisangle childclass euler name pos quat xyaxes zaxis"},
        {"frameangacc", "cutoff delay interp interval name noise nsample objname objtype user"},
        {"frameangvel", "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
        {"framelinacc", "cutoff delay interp interval name noise nsample objname objtype user"},
        {"framelinvel", "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
        {"framepos", "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
        {"framequat", "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
        {"framexaxis", "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
        {"frameyaxis", "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
        {"framezaxis", "cutoff delay interp interval name noise nsample objname objtype refname reftype user"},
        {"freejoint", "align group name"},
        {"fromto", "body1 body2 cutoff delay geom1 geom2 interp interval name noise nsample user"},
        {"general",
         "actdim actearly actlimited actrange armature biasprm biastype body class cranklength cranksite ctrllimited ctrlrange damping delay dynprm dyntype ffrange forcelimited forcerange gainprm gaintype gear group inheritrange input interp joint jointinparent lengthrange name nsample refsite site slidersite tendon user velrange"},
        {"geom",
         "adhesion axisangle castshadow class conaffinity condim contype density euler fitscale fluidcoef fluidshape friction fromto gap geom group hfield margin mass material mesh name pos priority quat rgba shellinertia sidesite size solimp solmix solref surfacevel type user xyaxes zaxis"},
        {"global",
         "azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight offwidth orthographic realtime"},
        {"gyro", "cutoff delay interp interval name noise nsample site user"},
        {"headlight", "active ambient diffuse specular"},
        {"hfield", "content_type elevation file name ncol nrow size"},
        {"include", "file prefix"},
        {"inertial", "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis"},
        {"insidesite", "cutoff delay enclosed interp interval name noise nsample objname objtype site user"},
        {"instance", "name"},
        {"intvelocity",
         "actlimited actrange armature class cranklength cranksite ctrllimited ctrlrange damping dampratio delay forcelimited forcerange gear group inheritrange interp joint jointinparent kp kv lengthrange name nsample refsite site slidersite tendon user"},
        {"joint",
         "active actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class coef damping frictionloss group joint joint1 joint2 limited margin name polycoef pos range ref solimp solimpfriction solimplimit solref solreffriction solreflimit springdamper springinertial springref springyield stiffness type user"},
        {"jointactuatorfrc", "cutoff delay interp interval joint name noise nsample user"},
        {"jointlimitfrc", "cutoff delay interp interval joint name noise nsample user"},
        {"jointlimitpos", "cutoff delay interp interval joint name noise nsample user"},
        {"jointlimitvel", "cutoff delay interp interval joint name noise nsample user"},
        {"jointpos", "cutoff delay interp interval joint name noise nsample user"},
        {"jointvel", "cutoff delay interp interval joint name noise nsample user"},
        {"key", "act ctrl mpos mquat name plastic qpos qvel time"},
        {"keyframe", ""},
        {"layer", "role texture"},
        {"lengthrange", "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit"},
        {"light",
         "active ambient attenuation bulbradius castshadow class cutoff diffuse dir directional exponent intensity mode name pos range softness specular target texture type"},
        {"magnetometer", "cutoff delay interp interval name noise nsample site user"},
        {"map",
         "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness stiffnessrot torque zfar znear"},
        {"material",
         "class emission metallic name reflectance rgba roughness shininess specular texrepeat texture texuniform"},
        {"mesh",
         "builtin class content_type face file inertia material maxhullvert name normal params refpos refquat scale smoothnormal texcoord vertex"},
        {"model", "content_type file name"},
        {"motor",
         "armature class cranklength cranksite ctrllimited ctrlrange damping delay forcelimited forcerange gear group interp joint jointinparent lengthrange name nsample refsite site slidersite tendon user"},
        {"mujoco", "model"},
        {"mujocoinclude", "model"},
        {"muscle",
         "armature class cranklength cranksite ctrllimited ctrlrange damping delay force forcelimited forcerange fpmax fvmax gear group interp joint jointinparent lengthrange lmax lmin name nsample range scale slidersite tausmooth tendon timeconst user vmax"},
        {"normal", "body1 body2 cutoff delay geom1 geom2 interp interval name noise nsample user"},
        {"numeric", "data name size"},
        {"option",
         "actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone density gravity impratio integrator iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance viscosity wind"},
        {"orientation",
         "class ctrlrange dampratio delay forcelimited forcerange group input interp joint kp kv name nsample refsite site user"},
        {"pair", "adhesion class condim friction gap geom1 geom2 margin name solimp solref solreffriction"},
        {"pid",
         "armature class cranklength cranksite ctrllimited ctrlrange damping dampratio delay ffrange forcelimited forcerange gear group imax inheritrange input interp joint jointinparent ki kp kv lengthrange name nsample posrange refsite site slewmax slidersite tendon user velrange"},
        {"pin", "grid gridrange id range"},
        {"plugin",
         "actdim actearly actlimited actrange armature class cranklength cranksite ctrllimited ctrlrange cutoff damping delay dynprm dyntype forcelimited forcerange gear group instance interp joint jointinparent lengthrange name nsample objname objtype plugin refname reftype site slidersite tendon user"},
        {"position",
         "armature class cranklength cranksite ctrllimited ctrlrange damping dampratio delay forcelimited forcerange gear group inheritrange interp joint jointinparent kp kv lengthrange name nsample refsite site slidersite tendon timeconst user"},
        {"pulley", "divisor"},
        {"quality", "numquads numslices numstacks offsamples shadowsize"},
        {"rangefinder", "camera cutoff data delay interp interval name noise nsample site user"},
        {"replicate", "axisangle childclass count euler name offset pos quat sep xyaxes zaxis"},
        {"rgba",
         "actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint contactforce contactfriction contactgap contactpoint contacttorque crankbroken fog force frustum haze inertia joint light rangefinder selectpoint slidercrank"},
        {"scale",
         "actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth forcewidth framelength framewidth frustum jointlength jointwidth light selectpoint slidercrank"},
        {"sensor", ""},
        {"site",
         "axisangle class euler fromto group material mesh name pos quat rgba site size type user xyaxes zaxis"},
        {"size",
         "memory nconmax njmax nkey nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt nuser_sensor nuser_site nuser_tendon nuserdata"},
        {"skin", "face file group inflate material name rgba texcoord vertex"},
        {"spatial",
         "actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin material name range rgba solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user width"},
        {"statistic", "center extent meaninertia meanmass meansize"},
        {"subtreeangmom", "body cutoff delay interp interval name noise nsample user"},
        {"subtreecom", "body cutoff delay interp interval name noise nsample user"},
        {"subtreelinvel", "body cutoff delay interp interval name noise nsample user"},
        {"tactile", "cutoff delay geom interp interval mesh name nsample user"},
        {"tendon",
         "active actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin material name polycoef range rgba solimp solimpfriction solimplimit solref solreffriction solreflimit springlength springyield stiffness tendon1 tendon2 user width"},
        {"tendonactuatorfrc", "cutoff delay interp interval name noise nsample tendon user"},
        {"tendonlimitfrc", "cutoff delay interp interval name noise nsample tendon user"},
        {"tendonlimitpos", "cutoff delay interp interval name noise nsample tendon user"},
        {"tendonlimitvel", "cutoff delay interp interval name noise nsample tendon user"},
        {"tendonpos", "cutoff delay interp interval name noise nsample tendon user"},
        {"tendonvel", "cutoff delay interp interval name noise nsample tendon user"},
        {"text", "data name"},
        {"texture",
         "builtin class colorspace content_type embed file fileback filedown filefront fileleft fileright fileup gridlayout gridsize height hflip mark markrgb name nchannel random rgb1 rgb2 type vflip width"},
        {"torque", "cutoff delay interp interval name noise nsample site user"},
        {"touch", "cutoff delay interp interval name noise nsample site user"},
        {"tuple", "name"},
        {"user", "cutoff datatype dim name needstage noise objname objtype user"},
        {"velocimeter", "cutoff delay interp interval name noise nsample site user"},
        {"velocity",
         "armature class cranklength cranksite ctrllimited ctrlrange damping delay forcelimited forcerange gear group interp joint jointinparent kv lengthrange name nsample refsite site slidersite tendon user"},
        {"visual", ""},
        {"weld", "active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale"},
        {"worldbody", ""},
};

enum { KNOWN = sizeof known / sizeof known[0], WORDS_MAX = 64 };

static const char *attributes_of(const char *element)
{
    for (int i = 0; i < KNOWN; i++) {
        if (strcmp(known[i].element, element) == 0) {
            return known[i].attributes;
        }
    }
    return NULL;
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *s = strstr(words, word); s; s = strstr(s + 1, word)) {
        if ((s == words || s[-1] == ' ') && (s[length] == ' ' || s[length] == '\0')) {
            return true;
        }
    }
    return false;
}

// "did you mean ...?" from words parted by blanks; "" when none is near.
static void suggest_word(const char *word, const char *words, char *hint, size_t size)
{
    char copy[1024];
    const char *list[WORDS_MAX];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", words);
    char *rest;
    for (char *s = strtok_r(copy, " ", &rest); s && count < WORDS_MAX; s = strtok_r(NULL, " ", &rest)) {
        list[count++] = s;
    }
    const char *near = suggest(word, list, count);
    snprintf(hint, size, near ? "did you mean '%s'?" : "", near ? near : "");
}

static void check_attributes(robot *r, const xml_node *node, const char *attributes)
{
    for (int i = 0; i < node->attribute_count; i++) {
        const char *name = node->attributes[i].name;
        if (!has_word(attributes, name) && !strchr(name, ':')) {
            char hint[128];
            suggest_word(name, attributes, hint, sizeof hint);
            robot_fail(r, node, name, hint[0] ? robot_printf(r, "%s", hint) : NULL, "<%s> has no attribute '%.60s'",
                       node->name, name);
        }
    }
}

// What changes the motion where it is not neutral, and is not read.
static const struct {
    const char *element, *attribute, *neutral, *says;
} unread[] = {
    {"joint", "springyield", "0", "springs that yield"},
    {"fixed", "springyield", "0", "springs that yield"},
    {"spatial", "springyield", "0", "springs that yield"},
    {"tendon", "springyield", "0", "springs that yield"},
    {"fixed", "actuatorfrcrange", "", "the force range of a tendon"},
    {"spatial", "actuatorfrcrange", "", "the force range of a tendon"},
    {"tendon", "actuatorfrcrange", "", "the force range of a tendon"},
    {"general", "delay", "0", "delays of actuators and sensors"},
    {"motor", "delay", "0", "delays of actuators and sensors"},
    {"position", "delay", "0", "delays of actuators and sensors"},
    {"velocity", "delay", "0", "delays of actuators and sensors"},
    {"intvelocity", "delay", "0", "delays of actuators and sensors"},
    {"damper", "delay", "0", "delays of actuators and sensors"},
    {"cylinder", "delay", "0", "delays of actuators and sensors"},
    {"geom", "surfacevel", "0 0 0", "surfaces that move"},
    {"geom", "adhesion", "0", "adhesion"},
    {"key", "act", "", "activations in keyframes"},
    {"key", "mpos", "", "places of mocap bodies in keyframes"},
    {"key", "mquat", "", "places of mocap bodies in keyframes"},
    {"flag", "clampctrl", "enable", "controls beyond their range"},
};

static void tell_unread(robot *r, const xml_node *node)
{
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++) {
        const char *value = xml_is(node, unread[i].element) ? xml_get(node, unread[i].attribute) : NULL;
        if (value && *value && strcmp(value, unread[i].neutral) != 0)
            robot_leave_out(r, node, unread[i].attribute, unread[i].says);
    }
}

void mjcf_check(robot *r, const xml_node *node)
{
    const char *attributes = attributes_of(node->name);
    if (!attributes) {
        const char *list[KNOWN];
        for (int i = 0; i < KNOWN; i++) list[i] = known[i].element;
        const char *near = suggest(node->name, list, KNOWN);
        robot_fail(r, node, NULL, near ? robot_printf(r, "did you mean '%s'?", near) : NULL,
                   "MJCF has no element <%.60s>", node->name);
        return;
    }
    check_attributes(r, node, attributes);
    mjcf_check_words(r, node);
    tell_unread(r, node);
    for
        XML_EACH(child, node)
        {
            mjcf_check(r, child);
        }
}
