// modelDescription.xml of both versions of the interface, and buildDescription.xml of the third.

#include "io/fmu/fmu.h"

#include "polhode/polhode.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- XML ------------------------------------------------------------------------------------------------------------

static void put_escaped(page_text *t, const char *text)
{
    for (const char *s = text; *s; s++) {
        const char *name = *s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '"' ? "&quot;" : NULL;
        if (name)
            put_text(t, name);
        else if ((unsigned char)*s < 0x20)
            put_text(t, " ");
        else
            put_raw(t, s, 1);
    }
}

static void put_attribute(page_text *t, const char *name, const char *value)
{
    if (!value || !*value) return;
    put_text(t, " ");
    put_text(t, name);
    put_text(t, "=\"");
    put_escaped(t, value);
    put_text(t, "\"");
}

static void put_number_attribute(page_text *t, const char *name, double value)
{
    put_text(t, " ");
    put_text(t, name);
    put_text(t, "=\"");
    put_number(t, value, 17);
    put_text(t, "\"");
}

static void put_integer_attribute(page_text *t, const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    put_attribute(t, name, text);
}

// ---- What both versions share ---------------------------------------------------------------------------------------

// Names a.b.c of plain words show as a tree.
static bool is_structured(const fmu_list *list)
{
    for (int i = 0; i < list->count; i++) {
        bool first = true;
        for (const char *s = list->variables[i].name; *s; s++) {
            const bool letter = isalpha((unsigned char)*s) || *s == '_', digit = isdigit((unsigned char)*s);
            if (*s == '.' ? first : !(letter || (digit && !first))) return false;
            first = *s == '.';
        }
        if (first) return false;
    }
    return true;
}

static void put_head(page_text *t, const fmu_list *list, const fmu_about *about, const char *version,
                     const char *token_name)
{
    char tool[64];
    snprintf(tool, sizeof tool, "Polhode %s", ph_version());
    const char *name = ph_model_name(list->model);
    put_text(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    put_attribute(t, "fmiVersion", version);
    put_attribute(t, "modelName", name && *name ? name : about->identifier);
    put_attribute(t, token_name, about->token);
    put_attribute(t, "generationTool", tool);
    put_attribute(t, "variableNamingConvention", is_structured(list) ? "structured" : "flat");
}

static void put_units(page_text *t)
{
    static const struct {
        const char *name, *base;
    } units[] = {{"s", "s=\"1\""},
                 {"rad", "rad=\"1\""},
                 {"rad/s", "s=\"-1\" rad=\"1\""},
                 {"m", "m=\"1\""},
                 {"m/s", "m=\"1\" s=\"-1\""},
                 {"N", "kg=\"1\" m=\"1\" s=\"-2\""},
                 {"N.m", "kg=\"1\" m=\"2\" s=\"-2\""},
                 {"J", "kg=\"1\" m=\"2\" s=\"-2\""}};
    put_text(t, "  <UnitDefinitions>\n");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        put_text(t, "    <Unit name=\"");
        put_text(t, units[i].name);
        put_text(t, "\"><BaseUnit ");
        put_text(t, units[i].base);
        put_text(t, "/></Unit>\n");
    }
    put_text(t, "  </UnitDefinitions>\n");
}

static void put_experiment(page_text *t, const fmu_list *list)
{
    const double until = ph_model_run_settings(list->model)->until;
    put_text(t, "  <DefaultExperiment startTime=\"0\"");
    if (until > 0.0) put_number_attribute(t, "stopTime", until);
    put_number_attribute(t, "stepSize", list->step);
    put_text(t, "/>\n");
}

static const char *causality_of(const fmu_variable *v)
{
    return v->kind == FMU_TIME    ? "independent"
           : v->kind == FMU_INPUT ? "input"
           : fmu_is_output(v)     ? "output"
                                  : "parameter";
}

static const char *variability_of(const fmu_variable *v)
{
    const bool parameter = v->kind == FMU_STEP || v->kind == FMU_SCHEME || v->kind == FMU_PARAMETER;
    return parameter ? "fixed" : v->kind == FMU_CONTACTS ? "discrete" : "continuous";
}

static void put_about_variable(page_text *t, const fmu_variable *v, int reference)
{
    put_attribute(t, "name", v->name);
    put_integer_attribute(t, "valueReference", reference);
    put_attribute(t, "description", v->about);
    put_attribute(t, "causality", causality_of(v));
    put_attribute(t, "variability", variability_of(v));
    if (fmu_is_output(v)) put_text(t, " initial=\"calculated\"");
}

static bool has_start(const fmu_variable *v)
{
    return v->kind == FMU_STEP || v->kind == FMU_PARAMETER || v->kind == FMU_INPUT;
}

// Each line of `names`: put(t, name).
static void for_each_source(page_text *t, const char *names, const char *open, const char *close)
{
    for (const char *s = names; s && *s;) {
        const size_t length = strcspn(s, "\n");
        if (length > 2 && strncmp(s + length - 2, ".c", 2) == 0) {
            put_text(t, open);
            put_raw(t, s, length);
            put_text(t, close);
        }
        s += length + (s[length] == '\n');
    }
}

// ---- 2.0 ------------------------------------------------------------------------------------------------------------

static void put_variable_2(page_text *t, const fmu_variable *v, int reference)
{
    const char *type = v->kind == FMU_SCHEME ? "String" : v->kind == FMU_CONTACTS ? "Integer" : "Real";
    put_text(t, "    <ScalarVariable");
    put_about_variable(t, v, reference);
    put_text(t, "><");
    put_text(t, type);
    if (has_start(v)) put_number_attribute(t, "start", v->start);
    if (v->kind == FMU_SCHEME) put_attribute(t, "start", v->inner);
    put_attribute(t, "unit", v->unit);
    put_text(t, "/></ScalarVariable>\n");
}

// Places in the list, from 1: time is not in it.
static void put_unknowns_2(page_text *t, const fmu_list *list, const char *name)
{
    bool any = false;
    for (int i = 1; i < list->count; i++) {
        if (!fmu_is_output(&list->variables[i])) continue;
        if (!any) {
            put_text(t, "    <");
            put_text(t, name);
            put_text(t, ">\n");
        }
        any = true;
        put_text(t, "      <Unknown");
        put_integer_attribute(t, "index", i);
        put_text(t, "/>\n");
    }
    if (!any) return;
    put_text(t, "    </");
    put_text(t, name);
    put_text(t, ">\n");
}

void fmu_describe_2(page_text *t, const fmu_list *list, const fmu_about *about)
{
    put_head(t, list, about, "2.0", "guid");
    put_text(t, " numberOfEventIndicators=\"0\">\n  <CoSimulation");
    put_attribute(t, "modelIdentifier", about->identifier);
    put_text(t, " canHandleVariableCommunicationStepSize=\"true\" canNotUseMemoryManagementFunctions=\"true\""
                " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"");
    if (about->sources) {
        put_text(t, ">\n    <SourceFiles>\n");
        for_each_source(t, about->sources, "      <File name=\"", "\"/>\n");
        put_text(t, "    </SourceFiles>\n  </CoSimulation>\n");
    } else {
        put_text(t, "/>\n");
    }
    put_units(t);
    put_text(t, "  <LogCategories><Category name=\"logStatusError\"/><Category name=\"logAll\"/></LogCategories>\n");
    put_experiment(t, list);
    put_text(t, "  <ModelVariables>\n");
    for (int i = 1; i < list->count; i++) put_variable_2(t, &list->variables[i], i);
    put_text(t, "  </ModelVariables>\n  <ModelStructure>\n");
    put_unknowns_2(t, list, "Outputs");
    put_unknowns_2(t, list, "InitialUnknowns");
    put_text(t, "  </ModelStructure>\n</fmiModelDescription>\n");
}

// ---- 3.0 ------------------------------------------------------------------------------------------------------------

static void put_variable_3(page_text *t, const fmu_variable *v, int reference)
{
    const char *type = v->kind == FMU_SCHEME ? "String" : v->kind == FMU_CONTACTS ? "Int32" : "Float64";
    put_text(t, "    <");
    put_text(t, type);
    put_about_variable(t, v, reference);
    if (has_start(v)) put_number_attribute(t, "start", v->start);
    put_attribute(t, "unit", v->unit);
    if (v->kind != FMU_SCHEME) {
        put_text(t, "/>\n");
        return;
    }
    put_text(t, "><Start");
    put_attribute(t, "value", v->inner);
    put_text(t, "/></String>\n");
}

static void put_unknowns_3(page_text *t, const fmu_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (!fmu_is_output(&list->variables[i])) continue;
        put_text(t, "    <");
        put_text(t, name);
        put_integer_attribute(t, "valueReference", i);
        put_text(t, "/>\n");
    }
}

void fmu_describe_3(page_text *t, const fmu_list *list, const fmu_about *about)
{
    put_head(t, list, about, "3.0", "instantiationToken");
    put_text(t, ">\n  <CoSimulation");
    put_attribute(t, "modelIdentifier", about->identifier);
    put_text(t, " canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUState=\"true\""
                " canSerializeFMUState=\"true\" hasEventMode=\"true\"/>\n");
    put_units(t);
    put_text(t, "  <LogCategories><Category name=\"logStatusError\"/><Category name=\"logAll\"/></LogCategories>\n");
    put_experiment(t, list);
    put_text(t, "  <ModelVariables>\n");
    for (int i = 0; i < list->count; i++) put_variable_3(t, &list->variables[i], i);
    put_text(t, "  </ModelVariables>\n  <ModelStructure>\n");
    put_unknowns_3(t, list, "Output");
    put_unknowns_3(t, list, "InitialUnknown");
    put_text(t, "  </ModelStructure>\n</fmiModelDescription>\n");
}

void fmu_describe_build(page_text *t, const fmu_about *about)
{
    put_text(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
                "  <BuildConfiguration");
    put_attribute(t, "modelIdentifier", about->identifier);
    put_text(t, ">\n    <SourceFileSet language=\"C17\" compilerOptions=\"-O2 -ffp-contract=off\">\n");
    for_each_source(t, about->sources, "      <SourceFile name=\"", "\"/>\n");
    put_text(t, "      <PreprocessorDefinition name=\"_XOPEN_SOURCE\" value=\"700\"/>\n"
                "      <PreprocessorDefinition name=\"POLHODE_VERSION\" value=\"&quot;");
    put_text(t, ph_version());
    put_text(t, "&quot;\"/>\n      <IncludeDirectory name=\".\"/>\n    </SourceFileSet>\n"
                "    <Library name=\"m\" external=\"true\"/>\n    <Library name=\"pthread\" external=\"true\"/>\n"
                "  </BuildConfiguration>\n</fmiBuildDescription>\n");
}
