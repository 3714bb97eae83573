/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_OPTIONS_H
#define RPM_OPTIONS_H

/** @file
 * Values of the options that do more than set bits in a variable. Letters stand for themselves.
 */
enum optionValue {
    OPT_PREDEFINE = 1000, /**< the first that takes a text */
    OPT_UNDEFINE,
    OPT_LOAD,
    OPT_DBPATH,
    OPT_PIPE,
    OPT_QUERYFORMAT, /**< the last that takes a text */
    OPT_NODIGEST,
    OPT_NOHDRCHK,
    OPT_NOSIGNATURE,
    OPT_NOSCRIPTS,
    OPT_QUERYTAGS,
    OPT_REINSTALL,
    OPT_SHOWRC,
    OPT_VERSION,
    OPT_ACCEPTED, /**< what it asks for is so anyway */
    OPT_SOURCE = 1500,  /**< and above: enum querySource */
    OPT_REFUSED = 2000 /**< and above: entries of refusedOptionTable */
};

/** What --stats=json is parsed as: popt has no optional argument that leaves an operand alone. */
#define STATS_JSON_OPTION "stats-json"

#endif /* RPM_OPTIONS_H */
