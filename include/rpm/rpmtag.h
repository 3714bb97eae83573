/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMTAG_H
#define RPM_RPMTAG_H

/** @file rpm/rpmtag.h
 * Tags of package headers: numbers, names and types.
 *
 * Names and numbers are those of upstream 4.18's rpm/rpmtag.h. The first word of each tag's comment
 * is its type, and the build makes the table behind the calls below from it:
 *
 * | letter | type   | | suffix | holds            |
 * | ------ | ------ |-| ------ | ---------------- |
 * | c      | char   | |        | one value        |
 * | h      | 16 bit | | []     | an array         |
 * | i      | 32 bit | | {}     | one per language |
 * | l      | 64 bit | |        |                  |
 * | s      | string | |        |                  |
 * | x      | bytes  | |        |                  |
 *
 * `computed` tags are made from others when they are asked for; `internal` and `reserved` ones
 * have a number and no name.
 */

#include <rpm/rpmtypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Numbers below those of ordinary tags
 * @{ */
#define HEADER_IMAGE 61
#define HEADER_SIGNATURES 62
#define HEADER_IMMUTABLE 63
#define HEADER_REGIONS 64
#define HEADER_I18NTABLE 100
#define HEADER_SIGBASE 256
#define HEADER_TAGBASE 1000
/** @} */

/** Tags of a header. */
typedef enum rpmTag_e {
    RPMTAG_NOT_FOUND = -1,  /**< internal: no such tag */
    RPMTAG_HEADERIMAGE = HEADER_IMAGE,  /**< region of a header older than regions */
    RPMTAG_HEADERSIGNATURES = HEADER_SIGNATURES,  /**< region of a signature header */
    RPMTAG_HEADERIMMUTABLE = HEADER_IMMUTABLE,  /**< region of a header as built */
    RPMTAG_HEADERREGIONS = HEADER_REGIONS,  /**< end of the region tags */
    RPMTAG_HEADERI18NTABLE = HEADER_I18NTABLE,  /**< s[] */
    RPMTAG_SIG_BASE = HEADER_SIGBASE,  /**< internal: start of the signature tags */
    RPMTAG_SIGSIZE = RPMTAG_SIG_BASE + 1,  /**< i */
    RPMTAG_SIGLEMD5_1 = RPMTAG_SIG_BASE + 2,  /**< internal */
    RPMTAG_SIGPGP = RPMTAG_SIG_BASE + 3,  /**< x */
    RPMTAG_SIGLEMD5_2 = RPMTAG_SIG_BASE + 4,  /**< x, internal */
    RPMTAG_SIGMD5 = RPMTAG_SIG_BASE + 5,  /**< x */
    RPMTAG_SIGGPG = RPMTAG_SIG_BASE + 6,  /**< x */
    RPMTAG_SIGPGP5 = RPMTAG_SIG_BASE + 7,  /**< internal */
    RPMTAG_BADSHA1_1 = RPMTAG_SIG_BASE + 8,  /**< internal */
    RPMTAG_BADSHA1_2 = RPMTAG_SIG_BASE + 9,  /**< internal */
    RPMTAG_PUBKEYS = RPMTAG_SIG_BASE + 10,  /**< s[] */
    RPMTAG_DSAHEADER = RPMTAG_SIG_BASE + 11,  /**< x */
    RPMTAG_RSAHEADER = RPMTAG_SIG_BASE + 12,  /**< x */
    RPMTAG_SHA1HEADER = RPMTAG_SIG_BASE + 13,  /**< s */
    RPMTAG_LONGSIGSIZE = RPMTAG_SIG_BASE + 14,  /**< l */
    RPMTAG_LONGARCHIVESIZE = RPMTAG_SIG_BASE + 15,  /**< l */
    RPMTAG_SHA256HEADER = RPMTAG_SIG_BASE + 17,  /**< s */
    RPMTAG_VERITYSIGNATURES = RPMTAG_SIG_BASE + 20,  /**< s[] */
    RPMTAG_VERITYSIGNATUREALGO = RPMTAG_SIG_BASE + 21,  /**< i */
    RPMTAG_NAME = 1000,  /**< s */
    RPMTAG_VERSION = 1001,  /**< s */
    RPMTAG_RELEASE = 1002,  /**< s */
    RPMTAG_EPOCH = 1003,  /**< i */
    RPMTAG_SUMMARY = 1004,  /**< s{} */
    RPMTAG_DESCRIPTION = 1005,  /**< s{} */
    RPMTAG_BUILDTIME = 1006,  /**< i */
    RPMTAG_BUILDHOST = 1007,  /**< s */
    RPMTAG_INSTALLTIME = 1008,  /**< i */
    RPMTAG_SIZE = 1009,  /**< i */
    RPMTAG_DISTRIBUTION = 1010,  /**< s */
    RPMTAG_VENDOR = 1011,  /**< s */
    RPMTAG_GIF = 1012,  /**< x */
    RPMTAG_XPM = 1013,  /**< x */
    RPMTAG_LICENSE = 1014,  /**< s */
    RPMTAG_PACKAGER = 1015,  /**< s */
    RPMTAG_GROUP = 1016,  /**< s{} */
    RPMTAG_CHANGELOG = 1017,  /**< s[], internal */
    RPMTAG_SOURCE = 1018,  /**< s[] */
    RPMTAG_PATCH = 1019,  /**< s[] */
    RPMTAG_URL = 1020,  /**< s */
    RPMTAG_OS = 1021,  /**< s */
    RPMTAG_ARCH = 1022,  /**< s */
    RPMTAG_PREIN = 1023,  /**< s */
    RPMTAG_POSTIN = 1024,  /**< s */
    RPMTAG_PREUN = 1025,  /**< s */
    RPMTAG_POSTUN = 1026,  /**< s */
    RPMTAG_OLDFILENAMES = 1027,  /**< s[], obsolete */
    RPMTAG_FILESIZES = 1028,  /**< i[] */
    RPMTAG_FILESTATES = 1029,  /**< c[] */
    RPMTAG_FILEMODES = 1030,  /**< h[] */
    RPMTAG_FILEUIDS = 1031,  /**< i[], internal */
    RPMTAG_FILEGIDS = 1032,  /**< i[], internal */
    RPMTAG_FILERDEVS = 1033,  /**< h[] */
    RPMTAG_FILEMTIMES = 1034,  /**< i[] */
    RPMTAG_FILEDIGESTS = 1035,  /**< s[] */
    RPMTAG_FILELINKTOS = 1036,  /**< s[] */
    RPMTAG_FILEFLAGS = 1037,  /**< i[] */
    RPMTAG_ROOT = 1038,  /**< internal */
    RPMTAG_FILEUSERNAME = 1039,  /**< s[] */
    RPMTAG_FILEGROUPNAME = 1040,  /**< s[] */
    RPMTAG_EXCLUDE = 1041,  /**< internal */
    RPMTAG_EXCLUSIVE = 1042,  /**< internal */
    RPMTAG_ICON = 1043,  /**< x */
    RPMTAG_SOURCERPM = 1044,  /**< s */
    RPMTAG_FILEVERIFYFLAGS = 1045,  /**< i[] */
    RPMTAG_ARCHIVESIZE = 1046,  /**< i */
    RPMTAG_PROVIDENAME = 1047,  /**< s[] */
    RPMTAG_REQUIREFLAGS = 1048,  /**< i[] */
    RPMTAG_REQUIRENAME = 1049,  /**< s[] */
    RPMTAG_REQUIREVERSION = 1050,  /**< s[] */
    RPMTAG_NOSOURCE = 1051,  /**< i[] */
    RPMTAG_NOPATCH = 1052,  /**< i[] */
    RPMTAG_CONFLICTFLAGS = 1053,  /**< i[] */
    RPMTAG_CONFLICTNAME = 1054,  /**< s[] */
    RPMTAG_CONFLICTVERSION = 1055,  /**< s[] */
    RPMTAG_DEFAULTPREFIX = 1056,  /**< s, internal */
    RPMTAG_BUILDROOT = 1057,  /**< s, internal */
    RPMTAG_INSTALLPREFIX = 1058,  /**< s, internal */
    RPMTAG_EXCLUDEARCH = 1059,  /**< s[] */
    RPMTAG_EXCLUDEOS = 1060,  /**< s[] */
    RPMTAG_EXCLUSIVEARCH = 1061,  /**< s[] */
    RPMTAG_EXCLUSIVEOS = 1062,  /**< s[] */
    RPMTAG_AUTOREQPROV = 1063,  /**< s, internal */
    RPMTAG_RPMVERSION = 1064,  /**< s */
    RPMTAG_TRIGGERSCRIPTS = 1065,  /**< s[] */
    RPMTAG_TRIGGERNAME = 1066,  /**< s[] */
    RPMTAG_TRIGGERVERSION = 1067,  /**< s[] */
    RPMTAG_TRIGGERFLAGS = 1068,  /**< i[] */
    RPMTAG_TRIGGERINDEX = 1069,  /**< i[] */
    RPMTAG_VERIFYSCRIPT = 1079,  /**< s */
    RPMTAG_CHANGELOGTIME = 1080,  /**< i[] */
    RPMTAG_CHANGELOGNAME = 1081,  /**< s[] */
    RPMTAG_CHANGELOGTEXT = 1082,  /**< s[] */
    RPMTAG_BROKENMD5 = 1083,  /**< internal */
    RPMTAG_PREREQ = 1084,  /**< internal */
    RPMTAG_PREINPROG = 1085,  /**< s[] */
    RPMTAG_POSTINPROG = 1086,  /**< s[] */
    RPMTAG_PREUNPROG = 1087,  /**< s[] */
    RPMTAG_POSTUNPROG = 1088,  /**< s[] */
    RPMTAG_BUILDARCHS = 1089,  /**< s[] */
    RPMTAG_OBSOLETENAME = 1090,  /**< s[] */
    RPMTAG_VERIFYSCRIPTPROG = 1091,  /**< s[] */
    RPMTAG_TRIGGERSCRIPTPROG = 1092,  /**< s[] */
    RPMTAG_DOCDIR = 1093,  /**< internal */
    RPMTAG_COOKIE = 1094,  /**< s */
    RPMTAG_FILEDEVICES = 1095,  /**< i[] */
    RPMTAG_FILEINODES = 1096,  /**< i[] */
    RPMTAG_FILELANGS = 1097,  /**< s[] */
    RPMTAG_PREFIXES = 1098,  /**< s[] */
    RPMTAG_INSTPREFIXES = 1099,  /**< s[] */
    RPMTAG_TRIGGERIN = 1100,  /**< internal */
    RPMTAG_TRIGGERUN = 1101,  /**< internal */
    RPMTAG_TRIGGERPOSTUN = 1102,  /**< internal */
    RPMTAG_AUTOREQ = 1103,  /**< internal */
    RPMTAG_AUTOPROV = 1104,  /**< internal */
    RPMTAG_CAPABILITY = 1105,  /**< i, internal */
    RPMTAG_SOURCEPACKAGE = 1106,  /**< i */
    RPMTAG_OLDORIGFILENAMES = 1107,  /**< internal */
    RPMTAG_BUILDPREREQ = 1108,  /**< internal */
    RPMTAG_BUILDREQUIRES = 1109,  /**< internal */
    RPMTAG_BUILDCONFLICTS = 1110,  /**< internal */
    RPMTAG_BUILDMACROS = 1111,  /**< internal */
    RPMTAG_PROVIDEFLAGS = 1112,  /**< i[] */
    RPMTAG_PROVIDEVERSION = 1113,  /**< s[] */
    RPMTAG_OBSOLETEFLAGS = 1114,  /**< i[] */
    RPMTAG_OBSOLETEVERSION = 1115,  /**< s[] */
    RPMTAG_DIRINDEXES = 1116,  /**< i[] */
    RPMTAG_BASENAMES = 1117,  /**< s[] */
    RPMTAG_DIRNAMES = 1118,  /**< s[] */
    RPMTAG_ORIGDIRINDEXES = 1119,  /**< i[] */
    RPMTAG_ORIGBASENAMES = 1120,  /**< s[] */
    RPMTAG_ORIGDIRNAMES = 1121,  /**< s[] */
    RPMTAG_OPTFLAGS = 1122,  /**< s */
    RPMTAG_DISTURL = 1123,  /**< s */
    RPMTAG_PAYLOADFORMAT = 1124,  /**< s */
    RPMTAG_PAYLOADCOMPRESSOR = 1125,  /**< s */
    RPMTAG_PAYLOADFLAGS = 1126,  /**< s */
    RPMTAG_INSTALLCOLOR = 1127,  /**< i */
    RPMTAG_INSTALLTID = 1128,  /**< i */
    RPMTAG_REMOVETID = 1129,  /**< i */
    RPMTAG_SHA1RHN = 1130,  /**< internal */
    RPMTAG_RHNPLATFORM = 1131,  /**< s, internal */
    RPMTAG_PLATFORM = 1132,  /**< s */
    RPMTAG_PATCHESNAME = 1133,  /**< s[] */
    RPMTAG_PATCHESFLAGS = 1134,  /**< i[] */
    RPMTAG_PATCHESVERSION = 1135,  /**< s[] */
    RPMTAG_CACHECTIME = 1136,  /**< i, internal */
    RPMTAG_CACHEPKGPATH = 1137,  /**< s, internal */
    RPMTAG_CACHEPKGSIZE = 1138,  /**< i, internal */
    RPMTAG_CACHEPKGMTIME = 1139,  /**< i, internal */
    RPMTAG_FILECOLORS = 1140,  /**< i[] */
    RPMTAG_FILECLASS = 1141,  /**< i[] */
    RPMTAG_CLASSDICT = 1142,  /**< s[] */
    RPMTAG_FILEDEPENDSX = 1143,  /**< i[] */
    RPMTAG_FILEDEPENDSN = 1144,  /**< i[] */
    RPMTAG_DEPENDSDICT = 1145,  /**< i[] */
    RPMTAG_SOURCEPKGID = 1146,  /**< x */
    RPMTAG_FILECONTEXTS = 1147,  /**< s[], obsolete */
    RPMTAG_FSCONTEXTS = 1148,  /**< s[], computed */
    RPMTAG_RECONTEXTS = 1149,  /**< s[], computed */
    RPMTAG_POLICIES = 1150,  /**< s[] */
    RPMTAG_PRETRANS = 1151,  /**< s */
    RPMTAG_POSTTRANS = 1152,  /**< s */
    RPMTAG_PRETRANSPROG = 1153,  /**< s[] */
    RPMTAG_POSTTRANSPROG = 1154,  /**< s[] */
    RPMTAG_DISTTAG = 1155,  /**< s */
    RPMTAG_OLDSUGGESTSNAME = 1156,  /**< s[], obsolete */
    RPMTAG_OLDSUGGESTSVERSION = 1157,  /**< s[], obsolete */
    RPMTAG_OLDSUGGESTSFLAGS = 1158,  /**< i[], obsolete */
    RPMTAG_OLDENHANCESNAME = 1159,  /**< s[], obsolete */
    RPMTAG_OLDENHANCESVERSION = 1160,  /**< s[], obsolete */
    RPMTAG_OLDENHANCESFLAGS = 1161,  /**< i[], obsolete */
    RPMTAG_PRIORITY = 1162,  /**< i[], reserved */
    RPMTAG_CVSID = 1163,  /**< s, reserved */
    RPMTAG_BLINKPKGID = 1164,  /**< s[], reserved */
    RPMTAG_BLINKHDRID = 1165,  /**< s[], reserved */
    RPMTAG_BLINKNEVRA = 1166,  /**< s[], reserved */
    RPMTAG_FLINKPKGID = 1167,  /**< s[], reserved */
    RPMTAG_FLINKHDRID = 1168,  /**< s[], reserved */
    RPMTAG_FLINKNEVRA = 1169,  /**< s[], reserved */
    RPMTAG_PACKAGEORIGIN = 1170,  /**< s, reserved */
    RPMTAG_TRIGGERPREIN = 1171,  /**< internal */
    RPMTAG_BUILDSUGGESTS = 1172,  /**< reserved */
    RPMTAG_BUILDENHANCES = 1173,  /**< reserved */
    RPMTAG_SCRIPTSTATES = 1174,  /**< i[], reserved */
    RPMTAG_SCRIPTMETRICS = 1175,  /**< i[], reserved */
    RPMTAG_BUILDCPUCLOCK = 1176,  /**< i, reserved */
    RPMTAG_FILEDIGESTALGOS = 1177,  /**< i[], reserved */
    RPMTAG_VARIANTS = 1178,  /**< s[], reserved */
    RPMTAG_XMAJOR = 1179,  /**< i, reserved */
    RPMTAG_XMINOR = 1180,  /**< i, reserved */
    RPMTAG_REPOTAG = 1181,  /**< s, reserved */
    RPMTAG_KEYWORDS = 1182,  /**< s[], reserved */
    RPMTAG_BUILDPLATFORMS = 1183,  /**< s[], reserved */
    RPMTAG_PACKAGECOLOR = 1184,  /**< i, reserved */
    RPMTAG_PACKAGEPREFCOLOR = 1185,  /**< i, reserved */
    RPMTAG_XATTRSDICT = 1186,  /**< s[], reserved */
    RPMTAG_FILEXATTRSX = 1187,  /**< i[], reserved */
    RPMTAG_DEPATTRSDICT = 1188,  /**< s[], reserved */
    RPMTAG_CONFLICTATTRSX = 1189,  /**< i[], reserved */
    RPMTAG_OBSOLETEATTRSX = 1190,  /**< i[], reserved */
    RPMTAG_PROVIDEATTRSX = 1191,  /**< i[], reserved */
    RPMTAG_REQUIREATTRSX = 1192,  /**< i[], reserved */
    RPMTAG_BUILDPROVIDES = 1193,  /**< reserved */
    RPMTAG_BUILDOBSOLETES = 1194,  /**< reserved */
    RPMTAG_DBINSTANCE = 1195,  /**< i, computed */
    RPMTAG_NVRA = 1196,  /**< s, computed */
    RPMTAG_FILENAMES = 5000,  /**< s[], computed */
    RPMTAG_FILEPROVIDE = 5001,  /**< s[], computed */
    RPMTAG_FILEREQUIRE = 5002,  /**< s[], computed */
    RPMTAG_FSNAMES = 5003,  /**< s[], reserved */
    RPMTAG_FSSIZES = 5004,  /**< l[], reserved */
    RPMTAG_TRIGGERCONDS = 5005,  /**< s[], computed */
    RPMTAG_TRIGGERTYPE = 5006,  /**< s[], computed */
    RPMTAG_ORIGFILENAMES = 5007,  /**< s[], computed */
    RPMTAG_LONGFILESIZES = 5008,  /**< l[] */
    RPMTAG_LONGSIZE = 5009,  /**< l */
    RPMTAG_FILECAPS = 5010,  /**< s[] */
    RPMTAG_FILEDIGESTALGO = 5011,  /**< i */
    RPMTAG_BUGURL = 5012,  /**< s */
    RPMTAG_EVR = 5013,  /**< s, computed */
    RPMTAG_NVR = 5014,  /**< s, computed */
    RPMTAG_NEVR = 5015,  /**< s, computed */
    RPMTAG_NEVRA = 5016,  /**< s, computed */
    RPMTAG_HEADERCOLOR = 5017,  /**< i, computed */
    RPMTAG_VERBOSE = 5018,  /**< i, computed */
    RPMTAG_EPOCHNUM = 5019,  /**< i, computed */
    RPMTAG_PREINFLAGS = 5020,  /**< i */
    RPMTAG_POSTINFLAGS = 5021,  /**< i */
    RPMTAG_PREUNFLAGS = 5022,  /**< i */
    RPMTAG_POSTUNFLAGS = 5023,  /**< i */
    RPMTAG_PRETRANSFLAGS = 5024,  /**< i */
    RPMTAG_POSTTRANSFLAGS = 5025,  /**< i */
    RPMTAG_VERIFYSCRIPTFLAGS = 5026,  /**< i */
    RPMTAG_TRIGGERSCRIPTFLAGS = 5027,  /**< i[] */
    RPMTAG_COLLECTIONS = 5029,  /**< s[], reserved */
    RPMTAG_POLICYNAMES = 5030,  /**< s[] */
    RPMTAG_POLICYTYPES = 5031,  /**< s[] */
    RPMTAG_POLICYTYPESINDEXES = 5032,  /**< i[] */
    RPMTAG_POLICYFLAGS = 5033,  /**< i[] */
    RPMTAG_VCS = 5034,  /**< s */
    RPMTAG_ORDERNAME = 5035,  /**< s[] */
    RPMTAG_ORDERVERSION = 5036,  /**< s[] */
    RPMTAG_ORDERFLAGS = 5037,  /**< i[] */
    RPMTAG_MSSFMANIFEST = 5038,  /**< s[], reserved */
    RPMTAG_MSSFDOMAIN = 5039,  /**< s[], reserved */
    RPMTAG_INSTFILENAMES = 5040,  /**< s[], computed */
    RPMTAG_REQUIRENEVRS = 5041,  /**< s[], computed */
    RPMTAG_PROVIDENEVRS = 5042,  /**< s[], computed */
    RPMTAG_OBSOLETENEVRS = 5043,  /**< s[], computed */
    RPMTAG_CONFLICTNEVRS = 5044,  /**< s[], computed */
    RPMTAG_FILENLINKS = 5045,  /**< i[], computed */
    RPMTAG_RECOMMENDNAME = 5046,  /**< s[] */
    RPMTAG_RECOMMENDVERSION = 5047,  /**< s[] */
    RPMTAG_RECOMMENDFLAGS = 5048,  /**< i[] */
    RPMTAG_SUGGESTNAME = 5049,  /**< s[] */
    RPMTAG_SUGGESTVERSION = 5050,  /**< s[] */
    RPMTAG_SUGGESTFLAGS = 5051,  /**< i[] */
    RPMTAG_SUPPLEMENTNAME = 5052,  /**< s[] */
    RPMTAG_SUPPLEMENTVERSION = 5053,  /**< s[] */
    RPMTAG_SUPPLEMENTFLAGS = 5054,  /**< i[] */
    RPMTAG_ENHANCENAME = 5055,  /**< s[] */
    RPMTAG_ENHANCEVERSION = 5056,  /**< s[] */
    RPMTAG_ENHANCEFLAGS = 5057,  /**< i[] */
    RPMTAG_RECOMMENDNEVRS = 5058,  /**< s[], computed */
    RPMTAG_SUGGESTNEVRS = 5059,  /**< s[], computed */
    RPMTAG_SUPPLEMENTNEVRS = 5060,  /**< s[], computed */
    RPMTAG_ENHANCENEVRS = 5061,  /**< s[], computed */
    RPMTAG_ENCODING = 5062,  /**< s */
    RPMTAG_FILETRIGGERIN = 5063,  /**< internal */
    RPMTAG_FILETRIGGERUN = 5064,  /**< internal */
    RPMTAG_FILETRIGGERPOSTUN = 5065,  /**< internal */
    RPMTAG_FILETRIGGERSCRIPTS = 5066,  /**< s[] */
    RPMTAG_FILETRIGGERSCRIPTPROG = 5067,  /**< s[] */
    RPMTAG_FILETRIGGERSCRIPTFLAGS = 5068,  /**< i[] */
    RPMTAG_FILETRIGGERNAME = 5069,  /**< s[] */
    RPMTAG_FILETRIGGERINDEX = 5070,  /**< i[] */
    RPMTAG_FILETRIGGERVERSION = 5071,  /**< s[] */
    RPMTAG_FILETRIGGERFLAGS = 5072,  /**< i[] */
    RPMTAG_TRANSFILETRIGGERIN = 5073,  /**< internal */
    RPMTAG_TRANSFILETRIGGERUN = 5074,  /**< internal */
    RPMTAG_TRANSFILETRIGGERPOSTUN = 5075,  /**< internal */
    RPMTAG_TRANSFILETRIGGERSCRIPTS = 5076,  /**< s[] */
    RPMTAG_TRANSFILETRIGGERSCRIPTPROG = 5077,  /**< s[] */
    RPMTAG_TRANSFILETRIGGERSCRIPTFLAGS = 5078,  /**< i[] */
    RPMTAG_TRANSFILETRIGGERNAME = 5079,  /**< s[] */
    RPMTAG_TRANSFILETRIGGERINDEX = 5080,  /**< i[] */
    RPMTAG_TRANSFILETRIGGERVERSION = 5081,  /**< s[] */
    RPMTAG_TRANSFILETRIGGERFLAGS = 5082,  /**< i[] */
    RPMTAG_REMOVEPATHPOSTFIXES = 5083,  /**< s, internal */
    RPMTAG_FILETRIGGERPRIORITIES = 5084,  /**< i[] */
    RPMTAG_TRANSFILETRIGGERPRIORITIES = 5085,  /**< i[] */
    RPMTAG_FILETRIGGERCONDS = 5086,  /**< s[], computed */
    RPMTAG_FILETRIGGERTYPE = 5087,  /**< s[], computed */
    RPMTAG_TRANSFILETRIGGERCONDS = 5088,  /**< s[], computed */
    RPMTAG_TRANSFILETRIGGERTYPE = 5089,  /**< s[], computed */
    RPMTAG_FILESIGNATURES = 5090,  /**< s[] */
    RPMTAG_FILESIGNATURELENGTH = 5091,  /**< i */
    RPMTAG_PAYLOADDIGEST = 5092,  /**< s[] */
    RPMTAG_PAYLOADDIGESTALGO = 5093,  /**< i */
    RPMTAG_AUTOINSTALLED = 5094,  /**< i, reserved */
    RPMTAG_IDENTITY = 5095,  /**< s, reserved */
    RPMTAG_MODULARITYLABEL = 5096,  /**< s */
    RPMTAG_PAYLOADDIGESTALT = 5097,  /**< s[] */
    RPMTAG_ARCHSUFFIX = 5098,  /**< s, computed */
    RPMTAG_SPEC = 5099,  /**< s */
    RPMTAG_TRANSLATIONURL = 5100,  /**< s */
    RPMTAG_UPSTREAMRELEASES = 5101,  /**< s */
    RPMTAG_SOURCELICENSE = 5102,  /**< internal */

    RPMTAG_FIRSTFREE_TAG  /**< internal: the number after the last */
} rpmTag;

/** @name Second names
 * @{ */
#define RPMTAG_PKGID RPMTAG_SIGMD5  /**< x */
#define RPMTAG_HDRID RPMTAG_SHA1HEADER  /**< s */
#define RPMTAG_N RPMTAG_NAME  /**< s */
#define RPMTAG_V RPMTAG_VERSION  /**< s */
#define RPMTAG_R RPMTAG_RELEASE  /**< s */
#define RPMTAG_E RPMTAG_EPOCH  /**< i */
#define RPMTAG_FILEMD5S RPMTAG_FILEDIGESTS  /**< s[] */
#define RPMTAG_PROVIDES RPMTAG_PROVIDENAME  /**< s[] */
#define RPMTAG_P RPMTAG_PROVIDENAME  /**< s[] */
#define RPMTAG_REQUIRES RPMTAG_REQUIRENAME  /**< s[] */
#define RPMTAG_CONFLICTS RPMTAG_CONFLICTNAME  /**< s[] */
#define RPMTAG_C RPMTAG_CONFLICTNAME  /**< s[] */
#define RPMTAG_OBSOLETES RPMTAG_OBSOLETENAME  /**< s[] */
#define RPMTAG_O RPMTAG_OBSOLETENAME  /**< s[] */
#define RPMTAG_OLDSUGGESTS RPMTAG_OLDSUGGESTSNAME  /**< s[], obsolete */
#define RPMTAG_OLDENHANCES RPMTAG_OLDENHANCESNAME  /**< s[], obsolete */
#define RPMTAG_SVNID RPMTAG_CVSID  /**< s, reserved */
#define RPMTAG_RECOMMENDS RPMTAG_RECOMMENDNAME  /**< s[] */
#define RPMTAG_SUGGESTS RPMTAG_SUGGESTNAME  /**< s[] */
#define RPMTAG_SUPPLEMENTS RPMTAG_SUPPLEMENTNAME  /**< s[] */
#define RPMTAG_ENHANCES RPMTAG_ENHANCENAME  /**< s[] */
/** @} */

/** Tags from here on are for others than rpm. */
#define RPMTAG_EXTERNAL_TAG 1000000

/** Indexes of the package database. */
typedef enum rpmDbiTag_e {
    RPMDBI_PACKAGES = 0,  /**< the headers themselves */
    RPMDBI_LABEL = 2,     /**< name, version, release and architecture: no index of its own */
    RPMDBI_NAME = RPMTAG_NAME,
    RPMDBI_BASENAMES = RPMTAG_BASENAMES,
    RPMDBI_GROUP = RPMTAG_GROUP,
    RPMDBI_REQUIRENAME = RPMTAG_REQUIRENAME,
    RPMDBI_PROVIDENAME = RPMTAG_PROVIDENAME,
    RPMDBI_CONFLICTNAME = RPMTAG_CONFLICTNAME,
    RPMDBI_OBSOLETENAME = RPMTAG_OBSOLETENAME,
    RPMDBI_TRIGGERNAME = RPMTAG_TRIGGERNAME,
    RPMDBI_DIRNAMES = RPMTAG_DIRNAMES,
    RPMDBI_INSTALLTID = RPMTAG_INSTALLTID,
    RPMDBI_SIGMD5 = RPMTAG_SIGMD5,
    RPMDBI_SHA1HEADER = RPMTAG_SHA1HEADER,
    RPMDBI_INSTFILENAMES = RPMTAG_INSTFILENAMES,
    RPMDBI_FILETRIGGERNAME = RPMTAG_FILETRIGGERNAME,
    RPMDBI_TRANSFILETRIGGERNAME = RPMTAG_TRANSFILETRIGGERNAME,
    RPMDBI_RECOMMENDNAME = RPMTAG_RECOMMENDNAME,
    RPMDBI_SUGGESTNAME = RPMTAG_SUGGESTNAME,
    RPMDBI_SUPPLEMENTNAME = RPMTAG_SUPPLEMENTNAME,
    RPMDBI_ENHANCENAME = RPMTAG_ENHANCENAME
} rpmDbiTag;

/** Tags of a package's signature header. In the main header the same data has other numbers:
 * see rpmReadPackageFile(). */
typedef enum rpmSigTag_e {
    RPMSIGTAG_SIZE = 1000,           /**< 32-bit bytes of main header and payload */
    RPMSIGTAG_LEMD5_1 = 1001,        /**< a broken MD5, obsolete */
    RPMSIGTAG_PGP = 1002,            /**< RSA signature of header and payload */
    RPMSIGTAG_LEMD5_2 = 1003,        /**< a broken MD5, obsolete */
    RPMSIGTAG_MD5 = 1004,            /**< MD5 of header and payload, 16 bytes */
    RPMSIGTAG_GPG = 1005,            /**< DSA signature of header and payload */
    RPMSIGTAG_PGP5 = 1006,           /**< obsolete */
    RPMSIGTAG_PAYLOADSIZE = 1007,    /**< 32-bit bytes of the uncompressed payload */
    RPMSIGTAG_RESERVEDSPACE = 1008,  /**< room for signatures to come */
    RPMSIGTAG_BADSHA1_1 = RPMTAG_BADSHA1_1,
    RPMSIGTAG_BADSHA1_2 = RPMTAG_BADSHA1_2,
    RPMSIGTAG_DSA = RPMTAG_DSAHEADER,                    /**< DSA signature of the header */
    RPMSIGTAG_RSA = RPMTAG_RSAHEADER,                    /**< RSA signature of the header */
    RPMSIGTAG_SHA1 = RPMTAG_SHA1HEADER,                  /**< SHA-1 of the header, hex */
    RPMSIGTAG_LONGSIZE = RPMTAG_LONGSIGSIZE,             /**< 64-bit RPMSIGTAG_SIZE */
    RPMSIGTAG_LONGARCHIVESIZE = RPMTAG_LONGARCHIVESIZE,  /**< 64-bit RPMSIGTAG_PAYLOADSIZE */
    RPMSIGTAG_SHA256 = RPMTAG_SHA256HEADER,              /**< SHA-256 of the header, hex */
    RPMSIGTAG_FILESIGNATURES = RPMTAG_SIG_BASE + 18,
    RPMSIGTAG_FILESIGNATURELENGTH = RPMTAG_SIG_BASE + 19,
    RPMSIGTAG_VERITYSIGNATURES = RPMTAG_VERITYSIGNATURES,
    RPMSIGTAG_VERITYSIGNATUREALGO = RPMTAG_VERITYSIGNATUREALGO
} rpmSigTag;

/** Types of data. */
typedef enum rpmTagType_e {
    RPM_NULL_TYPE = 0,
    RPM_CHAR_TYPE = 1,
    RPM_INT8_TYPE = 2,
    RPM_INT16_TYPE = 3,
    RPM_INT32_TYPE = 4,
    RPM_INT64_TYPE = 5,
    RPM_STRING_TYPE = 6,
    RPM_BIN_TYPE = 7,
    RPM_STRING_ARRAY_TYPE = 8,
    RPM_I18NSTRING_TYPE = 9
} rpmTagType;

#define RPM_MIN_TYPE 1
#define RPM_MAX_TYPE 9
#define RPM_FORCEFREE_TYPE 0xff
#define RPM_MASK_TYPE 0x0000ffff

/** What types have in common. */
typedef enum rpmTagClass_e {
    RPM_NULL_CLASS = 0,
    RPM_NUMERIC_CLASS = 1,
    RPM_STRING_CLASS = 2,
    RPM_BINARY_CLASS = 3
} rpmTagClass;

/** One value or many. */
enum rpmTagReturnType_e {
    RPM_ANY_RETURN_TYPE = 0,
    RPM_SCALAR_RETURN_TYPE = 0x00010000,
    RPM_ARRAY_RETURN_TYPE = 0x00020000,
    RPM_MAPPING_RETURN_TYPE = 0x00040000,
    RPM_MASK_RETURN_TYPE = 0xffff0000
};

typedef rpmFlags rpmTagReturnType;

/** Name of a tag.
 * @param tag  number
 * @return     constant like "Name", or "(unknown)"
 */
const char *rpmTagGetName(rpmTagVal tag);

/** Number of a tag.
 * @param tagstr  name in any case, not NULL
 * @return        number, or RPMTAG_NOT_FOUND
 */
rpmTagVal rpmTagGetValue(const char *tagstr);

/** Type of a tag's data together with how many there are.
 * @param tag  number
 * @return     rpmTagGetTagType() | rpmTagGetReturnType()
 */
rpmTagType rpmTagGetType(rpmTagVal tag);

/** Type of a tag's data.
 * @param tag  number
 * @return     type, RPM_NULL_TYPE for an unknown tag
 */
rpmTagType rpmTagGetTagType(rpmTagVal tag);

/** Whether a tag holds one value or many.
 * @param tag  number
 * @return     RPM_SCALAR_RETURN_TYPE, RPM_ARRAY_RETURN_TYPE, or RPM_ANY_RETURN_TYPE if unknown
 */
rpmTagReturnType rpmTagGetReturnType(rpmTagVal tag);

/** Class of a tag's data.
 * @param tag  number
 * @return     class, RPM_NULL_CLASS for an unknown tag
 */
rpmTagClass rpmTagGetClass(rpmTagVal tag);

/** Class of a type.
 * @param type  type, with or without a return type
 * @return      class, RPM_NULL_CLASS for an unknown type
 */
rpmTagClass rpmTagTypeGetClass(rpmTagType type);

/** Names of all tags that have one, sorted.
 * @param[out] tagnames  becomes a string array for rpmtdFreeData(); the strings are constant
 * @param fullname       1 for names like "RPMTAG_NAME", 0 for "Name"
 * @return               number of names; 0 if tagnames is NULL
 */
int rpmTagGetNames(rpmtd tagnames, int fullname);

#ifdef __cplusplus
}
#endif

#endif /* RPM_RPMTAG_H */
