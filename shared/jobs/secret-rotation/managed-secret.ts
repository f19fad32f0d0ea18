import { readSecret } from '../../core/aws/read-secret.ts'
import { writeSecret } from '../../core/aws/write-secret.ts'
import type { SecretStore } from './rotate-service-secret.ts'

/** The service secret in Secrets Manager. */
export const managedSecret = (arn: string): SecretStore => ({
  read: () => readSecret(arn),
  write: (text) => writeSecret(arn, text),
})
