import type { Key } from '../../table/keys.ts'

/** How far the renewal of the locks of the sealed logs is. */
export const lockRenewalKey: Key = { pk: 'service#seal.locks', sk: 'renewal' }
