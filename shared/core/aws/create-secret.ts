import { manager } from './read-secret.ts'

type NewSecret = {
  name: string
  description: string
  text: string
  /** Identifies the request: Secrets Manager ignores a repetition with the same text. */
  requestId: string
  /** The key that encrypts it; null for that of AWS. */
  key: string | null
  tags: Record<string, string>
}

/** Creates a secret in Secrets Manager, and returns its ARN. */
export async function createSecret({ name, description, text, requestId, key, tags }: NewSecret): Promise<string> {
  const { ARN } = await manager.call(
    'CreateSecret',
    JSON.stringify({
      Name: name,
      Description: description,
      SecretString: text,
      ClientRequestToken: requestId,
      ...(key !== null && { KmsKeyId: key }),
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    }),
  )
  return String(ARN)
}
