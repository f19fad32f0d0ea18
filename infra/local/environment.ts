import type { Engines } from './engines/start-engines.ts'

/** The region that the engines' clients sign for; nothing reads it. */
const localRegion = 'us-east-1'

/** What the SDK's default clients need to find the local engines instead of AWS. */
export const engineEnvironment = (engines: Pick<Engines, 'dynamodb' | 'kinesis'>): Record<string, string> => ({
  AWS_REGION: process.env.AWS_REGION ?? localRegion,
  AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? 'local',
  AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? 'local',
  AWS_ENDPOINT_URL_DYNAMODB: engines.dynamodb,
  KINESIS_ENDPOINT: engines.kinesis,
})
