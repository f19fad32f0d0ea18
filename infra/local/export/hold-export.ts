import { accessSync, constants, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Lock, tryLock } from '../engines/lock.ts'
import { Fault } from '../fault.ts'

/**
 * Holds an export against others that would write into the same file, until it is released or its holder dies.
 * @throws Fault while another one holds it, and what Node says of a folder that cannot be written
 */
export function holdExport(out: string): Lock {
  accessSync(dirname(out), constants.W_OK)
  const file = `${out}.lock`
  const lock = tryLock(file)
  if (!lock) throw new Fault(`Another export is writing ${out}. Let it end, or give another --out.`)
  return {
    release() {
      rmSync(file, { force: true })
      lock.release()
    },
  }
}
