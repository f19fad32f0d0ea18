import { randomBytes } from 'node:crypto'
import type { Engines } from './engines/start-engines.ts'

/** The region that the engines' clients sign for; nothing reads it. */
const localRegion = 'us-east-1'

/**
 * What the SDK's default clients need to find the local engines instead of AWS. The engines look at no signature; what stands for
 * SES and Lambda does, so the secret is one that nobody knows.
 */
export const engineEnvironment = (engines: Pick<Engines, 'dynamodb' | 'kinesis'>): Record<string, string> => ({
  AWS_REGION: process.env.AWS_REGION ?? localRegion,
  AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? 'local',
  AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? randomBytes(32).toString('base64url'),
  AWS_ENDPOINT_URL_DYNAMODB: engines.dynamodb,
  KINESIS_ENDPOINT: engines.kinesis,
})
