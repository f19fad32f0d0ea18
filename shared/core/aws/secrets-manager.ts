import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { awsClient } from './clients.ts'

export const secretsManager = (): SecretsManagerClient => awsClient(SecretsManagerClient)

/** Reads a secret's version at a stage. @throws Error when the secret is empty */
export async function readVersion(arn: string, stage = 'AWSCURRENT') {
  const request = new GetSecretValueCommand({ SecretId: arn, VersionStage: stage })
  const { SecretString, CreatedDate = new Date(0), VersionId = '' } = await secretsManager().send(request)
  if (!SecretString?.trim()) throw new Error(`The secret ${arn} is empty.`)
  return { text: SecretString, createdAt: CreatedDate, id: VersionId }
}

export const readSecret = async (arn: string): Promise<string> => (await readVersion(arn)).text

/** Replaces the value of a secret. Of two requests with the same version id, the first one wins. */
export async function writeSecret(arn: string, text: string, id: string): Promise<void> {
  const request = { SecretId: arn, SecretString: text, ClientRequestToken: id }
  await secretsManager()
    .send(new PutSecretValueCommand(request))
    .catch((error) => {
      if (error.name !== 'ResourceExistsException') throw error
    })
}

type NewSecret = {
  name: string
  description: string
  text: string
  /** Idempotency token. Secrets Manager ignores a repeated request with the same token and value. */
  requestId: string
  /** KMS key that encrypts the secret; null for the key that AWS manages. */
  key: string | null
  tags: Record<string, string>
}

export async function createSecret({ name, description, text, requestId, key, tags }: NewSecret): Promise<string> {
  const { ARN } = await secretsManager().send(
    new CreateSecretCommand({
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
