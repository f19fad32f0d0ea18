import type { SecretVersion } from '../../core/secrets/secret-versions.ts'
import { derive } from '../../core/secrets/service-secret.ts'

/** What outlives its version: nobody has the strings of tokens to hash them again, and the server's pair never changes. */
const lasting = ['token hash', 'v0 server key']

/** What is left of a version that is retired. */
export const retiredVersion = (version: SecretVersion): SecretVersion => ({
  ...version,
  secret: null,
  keys: Object.fromEntries(
    lasting.flatMap((purpose) => {
      const key = derive(version, purpose)
      return key ? [[purpose, key]] : []
    }),
  ),
})
