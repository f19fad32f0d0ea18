import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from './fault.ts'

/** The client secrets of the deployment's own apps: the variable of each, and its file in the data directory (I1.4). */
const files = { SUITE_CLIENT_SECRET: 'suite-client-secret', TENANT_CLIENT_SECRET: 'tenant-client-secret' }

/** What the files hold, where there are any; a deployment has them in Secrets Manager. */
export const providerSecrets = (dir: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).flatMap(([variable, file]) => {
      try {
        const secret = readFileSync(join(dir, file), 'utf8').trim()
        return secret ? [[variable, secret]] : []
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return []
        throw error
      }
    }),
  )
