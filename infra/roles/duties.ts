/**
 * `answers`: its functions answer HTTP requests. `keyless`: it meets nothing that the deployment's key encrypts. `commits`: its
 * transactions put commit records. `device`: devices call it. `starts`: its transactions put entries of sessions. `ends`: it says
 * that an account ends, or deletes it then. `sends`: it tells devices.
 */
type Trait = 'answers' | 'keyless' | 'commits' | 'device' | 'starts' | 'ends' | 'sends' | 'mails'

/** Traits of each duty, a function or kind of functions with a role of its own, in the order of the template. */
const traits = {
  reader: ['answers'],
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
  rollBack: ['keyless'],
  pruneVersions: [],
} as const satisfies Record<string, Trait[]>

export type Duty = keyof typeof traits
/** Duties that a stream invokes. */
export type Consumer = 'writeChangeLog' | 'followUp' | 'storeFlowLogs'

export const duties = Object.keys(traits) as Duty[]

export const has = (duty: Duty, trait: Trait): boolean => new Set<Trait>(traits[duty]).has(trait)
