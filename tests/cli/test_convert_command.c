// polhode convert: results as CSV, NumPy and glTF, models as JSON and YAML.

#include "test.h"

#include "json_reader.h"
#include "program.h"

#define EXAMPLE TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

#ifdef PH_WITH_HDF5
static const char BINARY[] = "a.h5";
#else
static const char BINARY[] = "b.csv"; // not used
#endif

static folder make_results(void)
{
    const folder f = folder_make();
    output o = run_shell("cd %s && cp '" EXAMPLE "' m.yaml && polhode run m.yaml --until 0.1 -q -o %s &&"
                         " polhode run m.yaml --until 0.1 -q -o a.csv",
                         f.path, BINARY);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    return f;
}

#ifdef PH_WITH_HDF5

TEST(csv_is_what_the_run_would_have_written)
{
    const folder f = make_results();
    output o = run_shell("cd %s && polhode convert a.h5 b.csv && cmp a.csv b.csv", f.path);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strncmp(o.out, "written b.csv: 101 rows", 23) == 0);
    output_free(&o);
    o = run_shell("cd %s && polhode convert a.h5 c.csv --every 40 --from 0.01 -q && wc -l <c.csv && cut -d, -f1 c.csv",
                  f.path);
    CHECK_STR(o.out, "5\ntime\n0.01\n0.050000000000000003\n0.089999999999999997\n0.10000000000000001\n");
    output_free(&o);
    folder_remove(&f);
}

TEST(csv_results_are_read_too)
{
    const folder f = make_results();
    output o =
        run_shell("cd %s && polhode convert a.csv b.csv -q && cmp a.csv b.csv && polhode convert a.csv c.npz -q &&"
                  " polhode convert a.csv c.glb -q && polhode plot a.csv a.h5 joints.A.reaction stress.rod1 -o a.svg -q"
                  " && grep -c '>a.csv<' a.svg",
                  f.path);
    CHECK_EQ_INT(o.status, 0);
    CHECK_STR(o.err, "");
    output_free(&o);
    static const struct {
        const char *change, *message;
    } cases[] = {{"1s/time/tim/", "its first column is not 'time'"},
                 {"1s/rod2.qz/rod3.qz/", "'rod2.qz' is missing"},
                 {"1s/energy.work/energy.play/", "'energy.work' is missing"},
                 {"1s/joints.A.torque.x/joints.A.tork.x/", "'joints.A.torque.x' is missing"},
                 {"1s/$/,more/", "column 'more'"},
                 {"3s/,[^,]*$//", "line 3, column"},
                 {"4s/,/,x/", "line 4, column 2"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        o = run_shell("cd %s && sed '%s' a.csv >bad.csv && polhode convert bad.csv b.npz", f.path, cases[i].change);
        CHECK_EQ_INT(o.status, 2);
        if (!CHECK(strstr(o.err, cases[i].message) != NULL)) {
            printf("  '%s' is not in: %s", cases[i].message, o.err);
        }
        output_free(&o);
    }
    folder_remove(&f);
}

// What comes out is read by a library that is not ours.
TEST(npz_is_read_by_python)
{
    static const char script[] =
        "import zipfile, struct, ast\n"
        "z = zipfile.ZipFile('a.npz')\n"
        "assert z.testzip() is None\n"
        "def load(name):\n"
        "    d = z.read(name + '.npy')\n"
        "    assert d[:8] == b'\\x93NUMPY\\x01\\x00', name\n"
        "    n = struct.unpack('<H', d[8:10])[0]\n"
        "    h = ast.literal_eval(d[10:10 + n].decode())\n"
        "    assert (10 + n) % 64 == 0 and not h['fortran_order']\n"
        "    return h, d[10 + n:]\n"
        "h, d = load('position')\n"
        "assert h['shape'] == (101, 2, 3) and h['descr'] == '<f8' and len(d) == 101 * 2 * 3 * 8\n"
        "rows = open('a.csv').read().splitlines()\n"
        "x = struct.unpack('<606d', d)\n"
        "assert list(x[-6:]) == [float(v) for v in rows[-1].split(',')[1:7]]\n"
        "h, d = load('joints/A/force')\n"
        "assert h['shape'] == (101, 3)\n"
        "h, d = load('bodies')\n"
        "assert h['descr'] == '<U4' and h['shape'] == (2,) and d.decode('utf-32-le') == 'rod1rod2'\n"
        "h, d = load('model')\n"
        "assert h['shape'] == () and d.decode('utf-32-le').startswith(open('m.yaml').read()[:20])\n"
        "h, d = load('step')\n"
        "assert struct.unpack('<d', d)[0] == 0.001\n"
        "print('good')\n";
    const folder f = make_results();
    write_text_file(folder_file(&f, "check.py").text, script);
    output o = run_shell("command -v python3 >/dev/null || exit 77; cd %s && polhode convert a.h5 a.npz -q &&"
                         " python3 check.py",
                         f.path);
    if (o.status == 77) {
        output_free(&o);
        folder_remove(&f);
        SKIP("python3 is not installed");
    }
    CHECK_EQ_INT(o.status, 0);
    CHECK_STR(o.out, "good\n");
    printf("%s", o.err);
    output_free(&o);
    folder_remove(&f);
}

TEST(glb_is_one_json_part_and_one_block)
{
    const folder f = make_results();
    output o = run_shell("cd %s && polhode convert a.h5 a.glb --json", f.path);
    CHECK_EQ_INT(o.status, 0);
    CHECK(json_is_one_value(o.out));
    CHECK(json_number_at(o.out, "rows") == 101.0);
    output_free(&o);
    FILE *file = fopen(folder_file(&f, "a.glb").text, "rb");
    uint32_t head[5] = {0}, block[2] = {0};
    CHECK_EQ_INT(fread(head, 4, 5, file), 5);
    CHECK_EQ_INT(head[0], 0x46546c67);
    char *text = calloc(head[3] + 1, 1);
    CHECK_EQ_INT(fread(text, 1, head[3], file), head[3]);
    CHECK(json_is_one_value(text));
    CHECK_EQ_INT(fread(block, 4, 2, file), 2);
    CHECK_EQ_INT(head[2], 12 + 8 + head[3] + 8 + block[0]);
    CHECK_EQ_INT(head[3] % 4, 0);
    // Two cylinders, 101 times, and 7 numbers for each of two bodies at each time.
    CHECK(block[0] > 4 * (101 + 2 * 7 * 101));
    free(text);
    fclose(file);
    folder_remove(&f);
}

#endif

TEST(models_go_to_json_and_back)
{
    const folder f = make_results();
    output o = run_shell("cd %s && polhode convert m.yaml m.json -q && polhode convert m.json n.yaml -q &&"
                         " polhode convert m.yaml r.yaml --resolve -q &&"
                         " for m in m.yaml m.json n.yaml r.yaml; do polhode run $m --until 0.1 --json |"
                         " sed 's/.*\"final\"//'; done | sort -u | wc -l",
                         f.path);
    CHECK_EQ_INT(o.status, 0);
    CHECK_STR(o.out, "1\n"); // all four end in the same bits
    output_free(&o);
    char *text = read_text_file(folder_file(&f, "m.json").text);
    CHECK(json_is_one_value(text));
    free(text);
    o = run_shell("cd %s && polhode convert m.yaml s.yaml --set l=2 -q && grep -c parameters s.yaml", f.path);
    CHECK_STR(o.out, "0\n");
    output_free(&o);
    folder_remove(&f);
}

TEST(what_cannot_be_converted_is_refused)
{
    const folder f = make_results();
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"a.csv a.txt", "becomes .csv, .npz or .glb"},
        {"m.yaml m.txt", "becomes .yaml or .json"},
        {"m.yaml m.yaml", "over itself"},
        {"a.txt b.csv", "neither a result (.h5, .csv) nor a model"},
        {"none.h5 b.csv", "No such file"},
        {"bad.h5 b.csv", "HDF5"},
        {"bad.yaml b.json", "error:"},
        {"a.csv b.csv --from 3", "between these times"},
        {"a.csv", "an argument is missing"},
        {"m.yaml b.yaml --set q=1", "no such parameter"},
    };
    output o =
        run_shell("cd %s && echo hello >bad.h5 && echo 'polhode: 1' >bad.yaml && echo 'bodies: 3' >>bad.yaml", f.path);
    output_free(&o);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        o = run_shell("cd %s && polhode convert %s", f.path, cases[i].arguments);
        CHECK_EQ_INT(o.status, 2);
        CHECK_STR(o.out, "");
        if (!CHECK(strstr(o.err, cases[i].message) != NULL)) {
            printf("  '%s' is not in: %s", cases[i].message, o.err);
        }
        output_free(&o);
    }
    folder_remove(&f);
}
