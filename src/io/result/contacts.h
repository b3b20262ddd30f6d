// Contacts of a recorded run. How many there will be is not known beforehand, so they wait in a file beside the result,
// RESULT.contacts, row after row: how many, then twelve numbers of eight bytes for each. When the last row is there they move into the
// result as /contacts/...; a run that ends early leaves them where they are, and goes on there when it is resumed.
#ifndef PH_IO_RESULT_CONTACTS_H
#define PH_IO_RESULT_CONTACTS_H

#include "base/memory.h"
#include "model/state.h"

typedef struct recorded_contact {
    int64_t bodies[2];
    ph_vec3 point, normal, force;
    double gap;
} recorded_contact;

typedef struct contact_record contact_record;

// kept < 0: a new file; else one that is there goes on after its first `kept` rows.
ph_status contact_record_open(const char *result, long long kept, arena *memory, contact_record **record,
                              ph_error *error);
// Do contacts of this result wait to be moved into it?
bool contact_record_waits(const char *result);
ph_status contact_record_append(contact_record *record, const ph_state *state, ph_error *error);
ph_status contact_record_flush(contact_record *record, ph_error *error);
// Flushes and asks the system to put it on the disk. NULL: nothing to do.
ph_status contact_record_sync(contact_record *record, ph_error *error);
// Closes and removes the file: of a result that could not be made.
void contact_record_discard(contact_record *record);
// Closes; with `result` (HDF5) moves everything there first and removes the file.
ph_status contact_record_close(contact_record *record, bool complete, const char *result, ph_error *error);

// contacts_hdf5.c: adds `rows` rows of contacts, which lie one after the other in the file `data`, to an HDF5 file.
ph_status contact_record_to_hdf5(const char *result, const char *data, long long rows, long long contacts,
                                 ph_error *error);

#endif
