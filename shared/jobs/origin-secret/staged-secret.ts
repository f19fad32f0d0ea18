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
export async function stagedSecret(secretId: string, token: string): Promise<StagedSecret> {
  const sdk = await import('@aws-sdk/client-secrets-manager')
  const client = new sdk.SecretsManagerClient({})
  const SecretId = secretId
  const textOf = async (version: { VersionStage: string; VersionId?: string }): Promise<string> => {
    const { SecretString } = await client.send(new sdk.GetSecretValueCommand({ SecretId, ...version }))
    if (!SecretString) throw new Error(`The secret ${secretId} is empty.`)
    return SecretString
  }
  return {
    current: () => textOf({ VersionStage: 'AWSCURRENT' }),
    pending: () =>
      textOf({ VersionId: token, VersionStage: 'AWSPENDING' }).catch((error: unknown) => {
        if (error instanceof sdk.ResourceNotFoundException) return null
        throw error
      }),
    async prepare(text) {
      const version = { ClientRequestToken: token, SecretString: text, VersionStages: ['AWSPENDING'] }
      await client.send(new sdk.PutSecretValueCommand({ SecretId, ...version }))
    },
    async rotatedAt() {
      const { LastRotatedDate } = await client.send(new sdk.DescribeSecretCommand({ SecretId }))
      return LastRotatedDate ?? null
    },
    async finish() {
      const { VersionIdsToStages = {} } = await client.send(new sdk.DescribeSecretCommand({ SecretId }))
      const [counting] = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes('AWSCURRENT')) ?? []
      if (counting === token) return
      const move = { MoveToVersionId: token, RemoveFromVersionId: counting }
      await client.send(new sdk.UpdateSecretVersionStageCommand({ SecretId, VersionStage: 'AWSCURRENT', ...move }))
    },
  }
}
