import { ServiceError } from '../../core/aws/json-service.ts'
import { manager } from '../../core/aws/read-secret.ts'
import { fieldsOf } from '../../core/json/is-object.ts'

/** A secret of Secrets Manager while it is rotated: the version that counts, and the one that will. */
export type StagedSecret = {
  current(): Promise<string>
  /** The text that this rotation has prepared; null while there is none. */
  pending(): Promise<string | null>
  prepare(text: string): Promise<void>
  /** When the last rotation ended; null before the first one. */
  rotatedAt(): Promise<Date | null>
  /** Makes the prepared version the one that counts. */
  finish(): Promise<void>
}

/** The secret with this id, and the version that the rotation with this token makes. */
export function stagedSecret(SecretId: string, token: string): StagedSecret {
  const ask = (operation: string, request: object) => manager.call(operation, JSON.stringify({ SecretId, ...request }))
  const textOf = async (version: { VersionStage: string; VersionId?: string }): Promise<string> => {
    const { SecretString } = await ask('GetSecretValue', version)
    if (typeof SecretString !== 'string' || SecretString === '') throw new Error(`The secret ${SecretId} is empty.`)
    return SecretString
  }
  return {
    current: () => textOf({ VersionStage: 'AWSCURRENT' }),
    pending: () =>
      textOf({ VersionId: token, VersionStage: 'AWSPENDING' }).catch((error: unknown) => {
        if (error instanceof ServiceError && error.name === 'ResourceNotFoundException') return null
        throw error
      }),
    async prepare(SecretString) {
      await ask('PutSecretValue', { ClientRequestToken: token, SecretString, VersionStages: ['AWSPENDING'] })
    },
    async rotatedAt() {
      const { LastRotatedDate: seconds } = await ask('DescribeSecret', {})
      return typeof seconds === 'number' ? new Date(seconds * 1_000) : null
    },
    async finish() {
      const { VersionIdsToStages } = await ask('DescribeSecret', {})
      const [counting] =
        Object.entries(fieldsOf(VersionIdsToStages)).find(([, stages]) => [stages].flat().includes('AWSCURRENT')) ?? []
      if (counting === token) return
      const move = { VersionStage: 'AWSCURRENT', MoveToVersionId: token, RemoveFromVersionId: counting }
      await ask('UpdateSecretVersionStage', move)
    },
  }
}
