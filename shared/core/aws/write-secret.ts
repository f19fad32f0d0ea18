import { randomUUID } from 'node:crypto'
import { manager } from './read-secret.ts'

/** Replaces the text of a secret of Secrets Manager. What it was before stays there as `AWSPREVIOUS`. */
export async function writeSecret(arn: string, text: string): Promise<void> {
  // By its token a request that is made again is the same one.
  const request = { SecretId: arn, SecretString: text, ClientRequestToken: randomUUID() }
  await manager.call('PutSecretValue', JSON.stringify(request))
}
