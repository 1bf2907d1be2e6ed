import { quoteWord } from '../../shared/text.ts';
import { keyPrefixOf } from '../decision/types.ts';
import {
  addRuleLines,
  addressingLines,
  expireVersionsRule,
  script,
  TEMPORARY_FOLDER,
  type BucketPlace,
} from '../how-to/lifecycle.ts';

/**
 * How a store deletes an object only if it still has its ETag. `batched`: a thousand with each
 * request, with an ETag for each key. `conditional`: one by one with `If-Match`; a store that was
 * measured to take that may ignore the ETags of a batch. `compared`: it cannot, so one by one,
 * after a HEAD that finds the ETag; a write between the two is not seen.
 */
export type DeleteMode = 'batched' | 'conditional' | 'compared';

/** What is deleted, and where. */
export interface ReleasedPlace extends Required<BucketPlace> {
  /** What the move selected; null: the whole bucket. */
  readonly prefix: string | null;
  /** The bucket is part of the path at the endpoint. */
  readonly pathStyle: boolean;
  readonly deletes: DeleteMode;
}

export interface ReleasedList {
  readonly migrationId: string;
  readonly objects: number;
}

/** Names an object that stays, from `["key","reason"]`; JSON in ASCII hides nothing. */
const STAYS = String.raw`  stays() { sed 's/^\[\(".*"\),"\([^"]*\)"\]$/stays: \1 (\2)/'; }`;

/**
 * Keys that XML 1.0 cannot hold, in the form in which DeleteObjects sends them; a carriage return
 * and a newline would arrive as another character. Keys are UTF-8, which has no lone surrogates.
 */
const NOT_IN_XML = 'explode | any(. < 32 or . == 65534 or . == 65535)';

/**
 * Deletes what a check has proven, with the owner's own credentials. The script fetches the list,
 * and goes through it a thousand objects at a time: it lists what is there of them, so that a
 * second run passes quickly over what the first has deleted, and deletes what still has the ETag of
 * the list. Requests are JSON files: keys of any content are arguments of no process. If the first
 * object of the list is there with another ETag, the bucket is not the one that was checked, or is
 * written to, and nothing is deleted.
 *
 * @param rule whether to add the rule that deletes old versions, after the deletes
 */
export function deleteCommand(list: ReleasedList, place: ReleasedPlace, rule: boolean): string {
  const { bucket, region, endpoint, prefix, deletes } = place;
  const asked = { Bucket: bucket, ...(prefix === null ? {} : { Prefix: prefix }) };
  return script([
    ...TEMPORARY_FOLDER,
    ...addressingLines(place.pathStyle),
    `  s3() { aws s3api "$@" --endpoint-url ${quoteWord(endpoint)} --region ${quoteWord(region)} --output json; }`,
    STAYS,
    ...deleteOneLines(deletes),
    '  export -f s3 stays delete_one',
    ...fetchLines(list),
    `  listed=${quoteWord(JSON.stringify(asked))} bucket=${quoteWord(JSON.stringify({ Bucket: bucket }))}`,
    ...deleteLines(deletes),
    '  if [ -z "$proven" ]; then',
    '    echo "The bucket shows no object of the list as it was checked. If no earlier run has deleted them, this is another bucket."',
    '    exit',
    '  fi',
    '  echo "All objects of the list are deleted, except for those named above."',
    ...(rule ? addRuleLines(place, expireVersionsRule({ Prefix: keyPrefixOf(place) })) : []),
  ]);
}

/**
 * Fetches the list, or takes it from a release's file; a broken transfer resumes at its last key.
 */
function fetchLines({ migrationId, objects }: ReleasedList): string[] {
  return [
    '  if [ -n "${SRS_RELEASE_FILE-}" ]; then',
    `    jq -ac 'select(has("key"))' "$SRS_RELEASE_FILE" >"$work/list"`,
    '  else',
    '    : "${SRS_BASE_URL:?}" "${SRS_DASHBOARD_TOKEN:?}" >"$work/list"',
    '    for attempt in 1 2 3 4 5 6 7 8 9 10; do',
    '      tail -n 1 "$work/list" | jq -j .key >"$work/after"',
    '      status=0',
    // The token is an argument of no process: printf is a builtin.
    String.raw`      printf 'authorization: Bearer %s\n' "$SRS_DASHBOARD_TOKEN" |`,
    '        curl -fsS --retry 3 -H @- -G --data-urlencode "after@$work/after" \\',
    `          "\${SRS_BASE_URL%/}/v1/scanner/migration/${migrationId}/release/objects" >>"$work/list" || status=$?`,
    '      case $status in 0) break ;; 22) exit 1 ;; esac',
    // The last line is incomplete.
    '      if [ -n "$(tail -c 1 "$work/list")" ]; then',
    `        LC_ALL=C sed '$d' "$work/list" >"$work/whole"; mv "$work/whole" "$work/list"`,
    '      fi',
    '      sleep "$attempt"',
    '    done',
    '  fi',
    '  count=$(wc -l <"$work/list")',
    `  if [ "$count" -ne ${objects} ]; then`,
    `    echo "The list has $((count)) objects instead of ${objects}: it is incomplete, or of another check, which has commands of its own. Nothing was deleted." >&2`,
    '    exit 1',
    '  fi',
    '  split -a 6 -l 1000 "$work/list" "$work/part."',
  ];
}

/**
 * Writes what is there of a part, in the order of the list, with the ETag of now; null for a key
 * that XML cannot hold and that the listing does not show as it is, which only its own request can
 * find.
 */
const LIST_PART = [
  '    tail -n 1 "$part" >"$work/last"',
  '    : >"$work/now"',
  '    while [ -s "$work/ask" ]; do',
  '      s3 list-objects-v2 --no-paginate --cli-input-json "file://$work/ask" >"$work/page"',
  `      jq -acn --slurpfile page "$work/page" '`,
  String.raw`        (reduce $page[].Contents[]? as $at ({}; .[$at.Key] = ($at.ETag | gsub("\""; "")))) as $now |`,
  `        inputs | {(.key): $now[.key]} | select(.[])' "$part" >>"$work/now"`,
  `      jq -ac --argjson listed "$listed" --slurpfile last "$work/last" '`,
  '        select(.IsTruncated and .Contents and .Contents[-1].Key < $last[0].key) |',
  `        $listed + {StartAfter: .Contents[-1].Key}' "$work/page" >"$work/ask"`,
  '    done',
  `    jq -ac --argjson listed "$listed" '$listed + {StartAfter: .key}' "$work/last" >"$work/ask"`,
  `    jq -acn --slurpfile now "$work/now" '($now | add) as $now |`,
  `      inputs | .now = $now[.key] | select(.now or (.key | ${NOT_IN_XML}))' "$part" >"$work/there"`,
];

/** Only the first object can stop the run: an earlier run has named and left those that changed. */
const PROVE_PLACE = [
  '    if [ "$part" = "$work/part.aaaaaa" ] && ! jq -es --slurpfile list "$part" \\',
  `      '.[0] | .key != $list[0].key or .now == null or .now == .etag' "$work/there" >/dev/null; then`,
  '      echo "The first object of the list is there with another ETag than the one that was checked: this is another bucket, or the object was written since. Nothing was deleted." >&2',
  '      exit 1',
  '    fi',
];

function deleteLines(deletes: DeleteMode): string[] {
  const isOneByOne = deletes === 'batched' ? `select(.key | ${NOT_IN_XML}) | ` : '';
  return [
    '  proven=',
    `  printf %s "$listed" >"$work/ask"`,
    '  for part in "$work"/part.*; do',
    '    [ -e "$part" ] || break',
    ...LIST_PART,
    ...PROVE_PLACE,
    `    jq -ac 'select(.now and .now != .etag) | [.key, "changed since the check"]' "$work/there" | stays`,
    `    jq -ac 'select(.now == null or .now == .etag)' "$work/there" >"$work/same"`,
    `    if jq -es 'any(.now)' "$work/same" >/dev/null; then proven=1; fi`,
    ...(deletes === 'batched' ? DELETE_BATCH : []),
    '    rm -f "$work"/one.*',
    String.raw`    jq -ac --argjson bucket "$bucket" '${isOneByOne}$bucket + {Key: .key, IfMatch: "\"\(.etag)\""}' "$work/same" |`,
    '      split -a 3 -l 1 - "$work/one."',
    '    [ -e "$work/one.aaa" ] || continue',
    String.raw`    printf '%s\0' "$work"/one.??? | xargs -0 -n 1 -P 8 bash -c 'delete_one "$1"' delete`,
    '  done',
  ];
}

const DELETE_BATCH = [
  `    jq -acs --argjson bucket "$bucket" 'map(select(.key | ${NOT_IN_XML} | not)) | select(length > 0) |`,
  String.raw`      $bucket + {Delete: {Quiet: true, Objects: map({Key: .key, ETag: "\"\(.etag)\""})}}' "$work/same" >"$work/batch"`,
  '    if [ -s "$work/batch" ]; then',
  '      s3 delete-objects --cli-input-json "file://$work/batch" >"$work/answer"',
  // One that is missing was deleted meanwhile.
  `      jq -ac '(.Errors // [])[] | select(.Code != "NoSuchKey") | [.Key, .Code]' "$work/answer" | stays`,
  '    fi',
];

/** Deletes the object of a request with `IfMatch`, in a process of its own. 255 stops xargs. */
function deleteOneLines(deletes: DeleteMode): string[] {
  const attempt =
    deletes === 'compared'
      ? [
          `    jq -ac 'del(.IfMatch)' "$1" >"$1.key"`,
          '    if s3 head-object --cli-input-json "file://$1.key" >"$1.now" 2>"$1.error"; then',
          String.raw`      if jq -es 'map(.IfMatch // .ETag | gsub("\""; "")) | .[0] == .[1]' "$1" "$1.now" >/dev/null; then`,
          '        if s3 delete-object --cli-input-json "file://$1.key" >/dev/null 2>"$1.error"; then return; fi',
          '      else',
          '        echo "An error occurred (PreconditionFailed)" >"$1.error"',
          '      fi',
          '    fi',
        ]
      : [
          '    if s3 delete-object --cli-input-json "file://$1" >/dev/null 2>"$1.error"; then return; fi',
        ];
  return [
    '  delete_one() {',
    '    local code',
    ...attempt,
    String.raw`    code=$(sed -n 's/.*An error occurred (\([^)]*\)).*/\1/p' "$1.error")`,
    '    case $code in',
    '      404 | NoSuchKey) ;;',
    // The store has not answered, or the CLI does not know the condition.
    '      "") cat "$1.error" >&2; return 255 ;;',
    `      *) jq -ac --arg code "$code" '[.Key, $code]' "$1" | stays ;;`,
    '    esac',
    '  }',
  ];
}
