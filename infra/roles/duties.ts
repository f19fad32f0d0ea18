/** What one function or kind of functions may do: each has a role. In this order they stand in the template. */
export const duties = [
  'reader',
  'secretReader',
  'writer',
  'client',
  'gateway',
  'live',
  'ingest',
  'signIn',
  'directoryKeys',
  'mailPasscode',
  'provision',
  'public',
  'publicKey',
  'seal',
  'renewLocks',
  'writeChangeLog',
  'followUp',
  'expire',
  'sync',
  'deleteAccounts',
  'compareLimits',
  'mailSyncErrors',
  'pulse',
  'storeFlowLogs',
  'redrive',
  'rotateSecret',
  'resealSecrets',
  'replay',
  'checkConcurrency',
  'verify',
  'indexChangeLog',
  'verifyRows',
  'rollBack',
  'pruneVersions',
] as const

export type Duty = (typeof duties)[number]
/** Those that a stream invokes. */
export type Consumer = 'writeChangeLog' | 'followUp' | 'storeFlowLogs'

/** Those of the functions that answer HTTP requests. */
export const answering: Duty[] = [
  'reader',
  'secretReader',
  'writer',
  'client',
  'gateway',
  'live',
  'ingest',
  'signIn',
  'directoryKeys',
  'public',
  'publicKey',
]

/** Those that meet nothing that the deployment's key encrypts: what answers without the table, and what asks about the account. */
export const keyless: Duty[] = ['public', 'publicKey', 'checkConcurrency', 'rollBack']

/** Those that commit: their transactions put commit records. */
export const committing: Duty[] = [
  'writer',
  'client',
  'gateway',
  'signIn',
  'provision',
  'followUp',
  'expire',
  'sync',
  'mailSyncErrors',
  'resealSecrets',
]

/** Those that devices call. */
export const devices: Duty[] = ['client', 'gateway']

/** Those that start sessions: their transactions put the entries of them. */
export const starting: Duty[] = [...devices, 'signIn']

/** Those that say that an account ends, or delete it then. */
export const ending: Duty[] = ['provision', 'deleteAccounts']

/** Those that tell devices. */
export const sending: Duty[] = ['live', 'client', 'gateway', 'followUp']

/** Those that mail. */
export const mailing: Duty[] = ['compareLimits', 'mailPasscode', 'mailSyncErrors']
