import { vi } from 'vitest'
import { replyWith, stubService } from './stub-service.ts'

/** Starts a stub of Secrets Manager with one secret. Modules that are loaded after `use` send requests to the stub. */
export async function stubSecrets() {
  const stub = await stubService(replyWith(400, {}))
  return {
    setSecret(SecretString?: string) {
      stub.reply(replyWith(200, { SecretString }))
    },
    fails(message: string) {
      stub.reply(replyWith(400, { __type: 'AccessDeniedException', Message: message }))
    },
    /** Number of requests for a secret since `use`. */
    requestCount(): number {
      return stub.requests.filter(({ headers }) => headers['x-amz-target'] === 'secretsmanager.GetSecretValue').length
    },
    use() {
      stub.requests.length = 0
      vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', stub.endpoint)
      vi.stubEnv('AWS_REGION', 'eu-central-1')
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
    },
    end: () => stub.end(),
  }
}
