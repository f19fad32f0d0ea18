import { watched } from '#shared/core/logging/watched.ts'
import { rotateSigningSecret } from '#shared/core/secrets/signing-secret.ts'

/** Replaces the signing secret when it is due (docs/operating.md). */
export const handler = watched('rotate-signing-secret', rotateSigningSecret)
