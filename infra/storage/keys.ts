import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key, type KeyProps, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { arnOf, namePrefix } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import { removalPolicyOf } from './data-retention.ts'

/** Actions that account administrators may use on a key. Neither signing nor decryption is included. */
const administration = [
  'kms:CancelKeyDeletion',
  'kms:CreateAlias',
  'kms:DeleteAlias',
  'kms:Describe*',
  'kms:Disable*',
  'kms:Enable*',
  'kms:Get*',
  'kms:List*',
  'kms:Put*',
  'kms:RotateKeyOnDemand',
  'kms:ScheduleKeyDeletion',
  'kms:TagResource',
  'kms:UntagResource',
  'kms:Update*',
  'kms:Verify',
]

type Use = { actions: string[]; duties: ('Callback' | 'Seal' | 'Sync' | 'Writer')[] }

/** Creates a key that the account administers and only the service's roles use. An existing key keeps its policy. */
function createKey(
  scope: Construct,
  id: string,
  settings: Settings,
  existingArn: string | null,
  uses: Use[],
  overrides: KeyProps,
): IKey {
  if (existingArn !== null) return Key.fromKeyArn(scope, id, existingArn)
  const principals = [new AccountRootPrincipal()]
  const role = (duty: string) => arnOf(scope, 'iam', `role/${namePrefix(settings)}Roles${duty}*`, { region: '' })
  const statements = uses.map(({ actions, duties }) => {
    const conditions = { ArnLike: { 'aws:PrincipalArn': duties.map(role) } }
    return new PolicyStatement({ principals, actions, resources: ['*'], conditions })
  })
  // Omits replication for a signing key, because a replica could sign elsewhere (docs/decisions/0026).
  const copying = overrides.keyUsage === KeyUsage.SIGN_VERIFY ? [] : ['kms:ReplicateKey']
  const administering = new PolicyStatement({ principals, actions: [...administration, ...copying], resources: ['*'] })
  return new Key(scope, id, {
    // Creates a multi-Region key, because a single-Region key cannot be converted later. A replica can decrypt the secrets of a table
    // restored in a different region.
    multiRegion: true,
    policy: new PolicyDocument({ statements: [administering, ...statements] }),
    removalPolicy: removalPolicyOf(settings),
    ...overrides,
  })
}

/** Creates or references the KMS key (Ed25519) that signs checkpoints (S2.2). Only the sealing function may sign. */
export const sealSigningKey = (scope: Construct, settings: Settings): IKey =>
  createKey(scope, 'SealKey', settings, settings.sealKeyArn, [{ actions: ['kms:Sign'], duties: ['Seal'] }], {
    description: 'Network Access Administration: signs the checkpoints of the sealed logs.',
    keySpec: KeySpec.ECC_NIST_EDWARDS25519,
    keyUsage: KeyUsage.SIGN_VERIFY,
  })

/**
 * Creates or references the KMS key that encrypts the secrets of providers and directories. Roles that write secrets can only encrypt.
 * Sign-in callbacks and sync can decrypt. KMS rotates the key.
 */
export function secretKey(scope: Construct, settings: Settings): IKey {
  const uses: Use[] = [
    { actions: ['kms:GenerateDataKey'], duties: ['Writer'] },
    { actions: ['kms:Decrypt'], duties: ['Callback', 'Sync'] },
  ]
  return createKey(scope, 'SecretKey', settings, settings.secretKeyArn, uses, {
    description:
      'Network Access Administration: secrets of providers and directories. Without this key, they must be entered again.',
    enableKeyRotation: true,
  })
}
