// Results in memory: the same numbers as in a file, under the same names.

#include "test.h"

#include "folder.h"
#include "scenes.h"

#include "polhode/recording.h"

static ph_status run_into(ph_model *model, ph_recording *recording, const char *out, ph_error *error)
{
    ph_summary summary;
    ph_run_def def = ph_default_run();
    def.every = 3;
    def.recording = recording;
    def.out = out;
    ph_state *state = ph_state_create(model);
    const ph_status status = ph_run(model, state, &def, &summary, error);
    ph_state_destroy(state);
    return status;
}

TEST(memory_written_is_the_file_that_a_run_writes)
{
    const folder f = folder_make();
    const file_path direct = folder_file(&f, "direct.csv"), later = folder_file(&f, "later.csv");
    ph_model *model = scene_pendulum();
    ph_recording *recording = ph_recording_create(model);
    ph_error error = {0};
    CHECK_EQ_INT(run_into(model, NULL, direct.text, &error), PH_OK);
    CHECK_EQ_INT(run_into(model, recording, NULL, &error), PH_OK);
    CHECK_EQ_INT((int)ph_recording_rows(recording), 35); // 100 steps, every third, and the last
    CHECK_EQ_INT(ph_recording_write(recording, later.text, &error), PH_OK);
    char *a = read_text_file(direct.text), *b = read_text_file(later.text);
    CHECK_STR(a, b);
    free(a);
    free(b);
    ph_recording_destroy(recording);
    ph_model_destroy(model);
    folder_remove(&f);
}

TEST(memory_keeps_what_is_wanted)
{
    ph_model *model = scene_pendulum();
    ph_recording *recording = ph_recording_create(model);
    ph_error error = {0};
    CHECK_EQ_INT(ph_recording_want(recording, "position"), PH_OK);
    CHECK_EQ_INT(ph_recording_want(recording, "joints/ball"), PH_OK);
    CHECK_EQ_INT(run_into(model, recording, NULL, &error), PH_OK);
    CHECK_EQ_INT(ph_recording_count(recording), 6); // time, position; force, torque, coordinate, rate of the joint
    const ph_recorded time = ph_recording_find(recording, "time"), x = ph_recording_find(recording, "position");
    if (!CHECK(time.name && x.name)) return;
    CHECK_NEAR(time.data[1], 3e-3, 1e-15);
    CHECK_EQ_INT(x.rank, 2);
    CHECK_EQ_INT(x.shape[0], ph_model_bodies(model));
    CHECK_EQ_INT(x.shape[1], 3);
    CHECK(ph_recording_find(recording, "energy/total").name == NULL);
    ph_recording_destroy(recording);
    ph_model_destroy(model);
}

TEST(memory_refuses_what_does_not_exist)
{
    ph_model *model = scene_pendulum();
    ph_recording *recording = ph_recording_create(model);
    ph_error error = {0};
    CHECK_EQ_INT(ph_recording_want(recording, "energ"), PH_OK);
    CHECK_EQ_INT(run_into(model, recording, NULL, &error), PH_NOT_FOUND);
    CHECK_STR(error.text, "there is no quantity 'energ' to record");
    CHECK_EQ_INT(ph_recording_write(recording, "/tmp/none.csv", &error), PH_BAD_ARGUMENT);
    ph_recording_destroy(recording);
    ph_model_destroy(model);
}
