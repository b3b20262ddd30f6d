// Clusters: few contacts that sweeps do not settle, solved by Newton's method on the processor while all others are held.
//
// As heap/clusters.h does for the processor. Contacts beyond the tolerance and those that share a body with them are taken from the
// card; those connected by such bodies make a cluster, a cone problem of its own (polhode/cone.h).
#ifndef CARD_CLUSTERS_H
#define CARD_CLUSTERS_H

#include "base/pool.h"
#include "member.h"

typedef struct card_clusters {
    pool *pool; // may be NULL
} card_clusters;

card_settle clusters_settle; // user: a card_clusters

#endif
