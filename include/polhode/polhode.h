// Polhode: a structure-preserving rigid multibody dynamics engine.
//
//     ph_spec --compile--> ph_model (immutable) --+--> ph_sim (one scheme) --step--> ph_state --> analysis, results
#ifndef POLHODE_POLHODE_H
#define POLHODE_POLHODE_H

#include "polhode/adjoint.h"
#include "polhode/affine.h"
#include "polhode/analysis.h"
#include "polhode/base.h"
#include "polhode/batch.h"
#include "polhode/callback.h"
#include "polhode/checkpoint.h"
#include "polhode/clifford.h"
#include "polhode/cone.h"
#include "polhode/convert.h"
#include "polhode/curve.h"
#include "polhode/event.h"
#include "polhode/film.h"
#include "polhode/fit.h"
#include "polhode/fmu.h"
#include "polhode/io.h"
#include "polhode/keyframe.h"
#include "polhode/lab.h"
#include "polhode/live.h"
#include "polhode/math.h"
#include "polhode/model.h"
#include "polhode/optimize.h"
#include "polhode/page.h"
#include "polhode/plot.h"
#include "polhode/recording.h"
#include "polhode/result.h"
#include "polhode/sensor.h"
#include "polhode/sim.h"
#include "polhode/site.h"
#include "polhode/spec.h"
#include "polhode/state.h"
#include "polhode/statics.h"
#include "polhode/tendon.h"
#include "polhode/tree.h"

#endif
