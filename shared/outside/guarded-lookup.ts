import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Target } from './allowed-target.ts'
import { OutsideError } from './outside-error.ts'

/** Asks for the addresses of a name. Tests replace `lookup`. */
export const names = { lookup }

/**
 * Resolves the host of a connection once, and connects to the very addresses that were tested, so that a name cannot point
 * elsewhere in between. One address that is not allowed refuses the name.
 */
export const guardedLookup =
  ({ host, isAllowed }: Target): LookupFunction =>
  (hostname, options, callback) => {
    names.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      if (!addresses.every(({ address }) => isAllowed(address))) {
        return callback(new OutsideError('refused', `${host} may not be called: its address is not public.`), '')
      }
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      return first ? callback(null, first.address, first.family) : callback(new Error('no address'), '')
    })
  }
