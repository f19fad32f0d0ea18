/** The text of a secret of Secrets Manager. @throws Error when it is empty: no secret is not a secret */
export async function readSecret(arn: string): Promise<string> {
  const { SecretsManagerClient, GetSecretValueCommand } = await import('@aws-sdk/client-secrets-manager')
  const { SecretString } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId: arn }))
  if (!SecretString?.trim()) throw new Error(`The secret ${arn} is empty.`)
  return SecretString
}
