import { existsSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAwsServices } from '#infra/local/aws-services.ts'
import { synthesize } from '#infra/local/build/synthesize.ts'
import { databaseFile } from '#infra/local/engines/dynoxide.ts'
import { engineEnvironment, startEngines } from '#infra/local/engines/start-engines.ts'
import { sealKeyFile, secretFile } from '#infra/local/secret-file.ts'
import { createStream, createTable } from '#infra/local/service.ts'
import { awsClients } from '#shared/core/aws/clients.ts'

/**
 * Starts one engine of each kind for the whole run. Tests are isolated by their accounts, and workers inherit the environment variables.
 */
export default async function startTestEngines(): Promise<() => Promise<void>> {
  // Returns early if another vitest project of this run has started the engines.
  if (process.env.ENGINES_STARTED) return async () => {}
  process.env.ENGINES_STARTED = 'yes'
  return enginesIn(temporaryFolder(), { removeAtExit: true, bare: true })
}

/** Starts the engines as `npm start` does, either in `folder` or in a temporary folder that is removed at exit. */
export const serviceEngines = (folder: string | null = null) =>
  enginesIn(folder ?? temporaryFolder(), { removeAtExit: folder === null, bare: false })

/** Uses memory (`/dev/shm`) if enough is free, because the engine waits for the disk on every write. */
function temporaryFolder(): string {
  const memory = '/dev/shm'
  const memoryStats = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 }
  const hasCapacity = Math.min(memoryStats.bavail * memoryStats.bsize, freemem() / 2) > 4 * 2 ** 30
  return mkdtempSync(join(hasCapacity ? memory : tmpdir(), 'test-engines-'))
}

type EngineOptions = {
  removeAtExit: boolean
  /** Omits the table's stream, which costs CPU and which no test needs. */
  bare: boolean
}

async function enginesIn(dir: string, { removeAtExit, bare }: EngineOptions): Promise<() => Promise<void>> {
  const keyFile = secretFile(dir, 'secret-key')
  const [engines, { table, stream, environment }] = await Promise.all([
    startEngines(dir, { removeAtExit }),
    synthesize([]),
  ])
  // Accepts Lambda invocations without running the functions. Tests that need real invocations start the service.
  const lambda = await openAwsServices({ invoke: async () => {}, deliver: async () => {} })
  Object.assign(process.env, engineEnvironment(engines), {
    DYNAMODB_FILE: process.env.DYNAMODB_ENDPOINT ? '' : databaseFile(dir),
    TABLE_NAME: table.TableName,
    FLOW_STREAM_NAME: stream.name,
    SERVICE_URL: 'http://127.0.0.1',
    PASSCODE_FUNCTION: environment.PASSCODE_FUNCTION,
    AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
    SUITE_ISSUER: 'https://suite.example.com',
    SUITE_CLIENT_ID: 'suite-app',
    SUITE_CLIENT_SECRET: 'secret-of-the-suite-app',
    TENANT_ISSUER: 'https://tenants.example.com/{tenant_id}/v2.0',
    TENANT_CLIENT_ID: 'tenant-app',
    TENANT_CLIENT_SECRET: 'secret-of-the-tenant-app',
    IDP_API_URL: 'https://{idp_domain}',
    SUITE_TOKEN_URL: 'https://tokens.example.com/token',
    SUITE_API_URL: 'https://suite-api.example.com',
    TENANT_TOKEN_URL: 'https://tokens.example.com/{tenant_id}/oauth2/v2.0/token',
    TENANT_API_URL: 'https://tenant-api.example.com',
    MDM_API_URL: 'https://{subdomain}.devices{.region}.example.com',
    SIGN_IN_REDIRECT_URIS: 'http://127.0.0.1/callback https://portal.example.com/signed-in',
    SEAL_FOLDER: join(dir, 'seal'),
    SEAL_KEY_FILE: sealKeyFile(dir),
    ARCHIVE_FOLDER: join(dir, 'archive'),
    SIGNING_SECRET: readFileSync(secretFile(dir, 'signing-secret'), 'utf8'),
    SECRET_KEY_FILE: keyFile,
  })
  const definition = bare ? { ...table, StreamSpecification: undefined } : table
  await Promise.all([createTable(definition), createStream(stream)])
  return async () => {
    awsClients.clear()
    await lambda.stop()
    await engines.stop()
  }
}
