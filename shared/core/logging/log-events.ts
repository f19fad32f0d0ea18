/**
 * What can stand in the service's own log, by the stable name that queries and alarms ask for. The sentence is for who
 * reads a line; it can be put better at any time.
 */
export const logEvents = {
  request: 'A request was answered.',
  live: 'A connection was opened, closed or has sent a message.',
  run: 'A consumer, a schedule or a task has run.',
  run_failed: 'A run has failed.',
  unexpected_error: 'A request or a task met an unknown error.',
  request_given_up: 'A request was given up.',
  alias_not_moved: 'An alias was not moved.',
  versions_moved: 'Functions were moved to another version.',
  answer_not_kept: 'An answer was not kept for its Idempotency-Key, which frees itself.',
  account_above_limits: 'An account is above its limits.',
  cdn_secret_not_read: 'The secret of the CDN was not read again; the one known counts on.',
  change_log_indexed: 'Pointers to entries of the change log are being put.',
  commit_given_up: 'A commit was not taken for as long as its request may try.',
  commit_not_followed_up: 'A commit record was not followed up; it is delivered again.',
  commit_not_logged: 'A commit record was not written to the change log; it is delivered again.',
  device_not_told: 'A message of the live channel did not reach a device.',
  devices_not_told: 'Those who are connected were not told of a change.',
  flow_not_stored: 'A record of the flow stream was not stored; it is delivered again.',
  flows_not_put: 'The flow stream has not taken a batch; it is put again.',
  gateway_told_part: 'A gateway has more authorizations in force than it is told.',
  members_interrupted: 'A change of a set of members was interrupted; follow-up goes on with it.',
  secrets_not_resealed: 'Secrets of a busy account were not sealed anew; the next run finds them.',
  service_secret_not_read: 'The service secret was not read again; the versions known count on.',
  log_sealed: 'A log was sealed: its new checkpoint is in the bucket and in the table.',
  log_begun: 'A log follows another: the table was restored to an earlier instant, or the bucket is another one.',
  locks_renewed: 'The objects of the sealed logs are locked for another year.',
  seal_stopped: 'A log does not hold; it is not sealed until that is mended, and nothing false was signed.',
  sign_in_refused: 'A sign-in was refused.',
  sync_run_ended: 'A run of a directory or an inventory is over.',
  transaction_given_up: 'A small transaction lost its race for as long as its request may try.',
  open_flows_not_indexed: 'Open flows were not indexed; the next batch tries again.',
} as const

export type LogEvent = keyof typeof logEvents
