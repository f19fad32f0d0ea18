/**
 * Traits of a duty. `answers`: handles HTTP requests. `keyless`: needs no data that the deployment's key encrypts.
 * `commits`: puts commit records. `device`: serves devices. `starts`: puts session log entries. `ends`: marks accounts
 * for deletion, or deletes them. `sends`: sends messages to devices. `mails`: sends email.
 */
type Trait = 'answers' | 'keyless' | 'commits' | 'device' | 'starts' | 'ends' | 'sends' | 'mails'

/** Traits by duty, in the order of the template. A duty is a function, or a group of functions, with its own role. */
const traits = {
  reader: ['answers'],
  readerOfLogs: ['answers'],
  readerOfSessions: ['answers'],
  secretReader: ['answers'],
  writer: ['answers', 'commits'],
  client: ['answers', 'commits', 'device', 'starts', 'sends'],
  gateway: ['answers', 'commits', 'device', 'starts', 'sends'],
  live: ['answers', 'sends'],
  ingest: ['answers'],
  signIn: ['answers', 'commits', 'starts'],
  callback: ['answers'],
  directoryKeys: ['answers'],
  mailPasscode: ['mails'],
  provision: ['commits', 'ends'],
  public: ['answers', 'keyless'],
  publicKey: ['answers', 'keyless'],
  seal: [],
  renewLocks: [],
  archive: [],
  writeChangeLog: [],
  followUp: ['commits', 'sends'],
  expire: ['commits'],
  sync: ['commits'],
  deleteAccounts: ['ends'],
  compareLimits: ['mails'],
  mailSyncErrors: ['commits', 'mails'],
  pulse: [],
  storeFlowLogs: [],
  redrive: [],
  rotateSecret: [],
  replay: [],
  checkConcurrency: ['keyless'],
  verify: [],
  verifyRows: [],
  verifyArchive: [],
  eraseActor: [],
  rollBack: ['keyless'],
  pruneVersions: [],
} as const satisfies Record<string, Trait[]>

export type Duty = keyof typeof traits
export type Consumer = 'writeChangeLog' | 'followUp' | 'storeFlowLogs'

export const duties = Object.keys(traits) as Duty[]

export const hasTrait = (duty: Duty, trait: Trait): boolean => new Set<Trait>(traits[duty]).has(trait)
