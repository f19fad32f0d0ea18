import { endpointOf } from './endpoint.ts'
import { JsonService } from './json-service.ts'

export const manager = new JsonService({
  name: 'secretsmanager',
  target: 'secretsmanager',
  contentType: 'application/x-amz-json-1.1',
  endpoint: () => endpointOf('secretsmanager', 'AWS_ENDPOINT_URL_SECRETS_MANAGER'),
})

/** The text of a secret of Secrets Manager. @throws Error when it is empty: no secret is not a secret */
export async function readSecret(arn: string): Promise<string> {
  const { SecretString } = await manager.call('GetSecretValue', JSON.stringify({ SecretId: arn }))
  if (typeof SecretString !== 'string' || !SecretString.trim()) throw new Error(`The secret ${arn} is empty.`)
  return SecretString
}
