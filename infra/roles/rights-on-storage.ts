import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Storage } from '../storage/storage.ts'

/** Tokens, codes and secrets in rows are made and read with it. */
export const serviceSecret = ({ secret }: Storage) =>
  new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] })

/** Who holds a sealed log checks its checkpoints with it. */
export const publicSealKey = ({ sealKey }: Storage) =>
  new PolicyStatement({ actions: ['kms:GetPublicKey'], resources: [sealKey.keyArn] })

export const putsFlows = ({ flows }: Storage) =>
  new PolicyStatement({ actions: ['kinesis:PutRecords'], resources: [flows.streamArn] })
