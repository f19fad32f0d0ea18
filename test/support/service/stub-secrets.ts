import { vi } from 'vitest'
import { answering, stubService } from './stub-service.ts'

/** A Secrets Manager with one secret, for modules that are loaded after `use`. */
export async function stubSecrets() {
  const stub = await stubService(answering(400, {}))
  return {
    /** What the secret's text is from now on. */
    holds(SecretString?: string) {
      stub.reply(answering(200, { SecretString }))
    },
    fails(message: string) {
      stub.reply(answering(400, { __type: 'AccessDeniedException', Message: message }))
    },
    /** How often it was asked for a secret, and for nothing else. */
    asked(): number {
      return stub.asked.filter(({ headers }) => headers['x-amz-target'] === 'secretsmanager.GetSecretValue').length
    },
    use() {
      stub.asked.length = 0
      vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', stub.endpoint)
      vi.stubEnv('AWS_REGION', 'eu-central-1')
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
    },
    end: () => stub.end(),
  }
}
