import { randomUUID } from 'node:crypto'
import { providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { discovery } from '#shared/domain/auth-providers/discovery-document.ts'
import { directoryKinds } from '#shared/domain/directories/directory.ts'
import type { Run } from '#shared/sync/runs/run.ts'
import { getRun, openRunKey, runItem } from '#shared/sync/runs/run-store.ts'
import { put, remove, writeTogether } from '#shared/table/write-together.ts'
import { insertIdentity } from '../accounts/identities.ts'
import { insertMdmDevice } from '../accounts/mdm-devices.ts'
import { insertActor } from '../accounts/rows.ts'
import type { Request, Sample } from './sample-requests.ts'

type Fields = Record<string, unknown>
type Make = (name: string, request?: Request) => Promise<{ id: string }>

/** Write-only secret used in all samples. No response may contain it. */
export const plantedSecret = 'planted-secret'

/** Returns a unique value that is not a bare UUID, because tests treat a UUID in a body as the id of an object. */
const fresh = () => `sample-${randomUUID()}`

/** Collections of auth providers, directories and posture providers, with functions that return valid fields. */
const configurations: Record<string, { collection: string; envelope: string; fields: () => Fields; single?: boolean }> =
  {
    ...Object.fromEntries(
      providerKinds.map((kind) => [
        kind,
        {
          collection: `/${kind}_auth_providers`,
          envelope: `${kind}_auth_provider`,
          single: kind === 'email_otp' || kind === 'suite',
          fields: () =>
            ({
              email_otp: {},
              oidc: {
                name: fresh(),
                client_id: fresh(),
                client_secret: plantedSecret,
                discovery_document_uri: 'https://login.example.com/.well-known/openid-configuration',
              },
              suite: {},
              tenant: { name: fresh(), issuer: `https://tenants.example.com/${fresh()}/v2.0` },
              idp: { name: fresh(), client_id: fresh(), client_secret: plantedSecret, idp_domain: 'idp.example.com' },
            })[kind],
        },
      ]),
    ),
    ...Object.fromEntries(
      directoryKinds.map((kind) => [
        `${kind} directory`,
        {
          collection: `/${kind}_directories`,
          envelope: `${kind}_directory`,
          fields: () =>
            ({
              suite: {
                name: fresh(),
                domain: `${fresh()}.example.com`,
                impersonation_email: 'sync@example.com',
                service_account_key: plantedSecret,
              },
              tenant: {
                name: fresh(),
                tenant_id: `${fresh()}.example.com`,
                client_id: fresh(),
                client_secret: plantedSecret,
              },
              idp: { name: fresh(), client_id: fresh(), idp_domain: 'idp.example.com' },
            })[kind],
        },
      ]),
    ),
    posture: {
      collection: '/mdm_posture_providers',
      envelope: 'mdm_posture_provider',
      fields: () => ({ type: 'mdm', name: fresh(), subdomain: fresh(), region: 'eu', api_token: plantedSecret }),
    },
  }

export function addConfigurationSamples(samples: Record<string, Sample>, accountId: string, make: Make): void {
  for (const { collection, envelope, fields, single } of Object.values(configurations)) {
    // Deletes the listed objects first if earlier requests have filled the collection to its limit.
    const max = single ? 1 : collection.endsWith('_auth_providers') ? Number.POSITIVE_INFINITY : 20
    const clear = async () => {
      if (max === Number.POSITIVE_INFINITY) return
      const listed = (await make(`GET ${collection}`)) as unknown as { id: string }[]
      if (listed.length < max) return
      for (const { id } of listed) await make(`DELETE ${collection}/{id}`, { params: { id } })
    }
    const body = async () => {
      await clear()
      discovery.read = async () => ({ issuer: 'https://login.example.com' })
      return { [envelope]: fields() }
    }
    const create = async () => (await make(`POST ${collection}`, { body: await body() })).id
    samples[`GET ${collection}`] = () => ({})
    samples[`POST ${collection}`] = async () => ({ body: await body() })
    samples[`GET ${collection}/{id}`] = async () => ({ params: { id: await create() } })
    samples[`PATCH ${collection}/{id}`] = async () => ({
      params: { id: await create() },
      body: { [envelope]: { name: fresh() } },
    })
    samples[`DELETE ${collection}/{id}`] = async () => ({ params: { id: await create() } })
  }

  /** Completes a run as if it had deleted an actor. */
  const withDeletions = async (source: { id: string; run_id: string }) => {
    const run = await getRun(accountId, source.id, source.run_id)
    const applied = { ...run.applied, users: { insert: 0, update: 0, delete: 1 } }
    const ended: Run = { ...run, finished_at: run.started_at, phase: 'finish', outcome: 'applied', applied }
    await writeTogether([put(runItem(ended)), remove(openRunKey(accountId, source.id))])
    return source
  }
  for (const collection of [...directoryKinds.map((kind) => `/${kind}_directories`), '/mdm_posture_providers']) {
    const path = `${collection}/{id}`
    const source = async (): Promise<string> => {
      const { params = {} } = (await samples[`GET ${path}`]?.()) ?? {}
      return String(params.id)
    }
    const withRun = async (preview = false) => {
      const id = await source()
      const { id: run_id } = await make(`POST ${path}/${preview ? 'preview' : 'sync'}`, { params: { id } })
      return { id, run_id }
    }
    samples[`POST ${path}/sync`] = async () => ({ params: { id: await source() } })
    samples[`POST ${path}/preview`] = async () => ({ params: { id: await source() } })
    samples[`GET ${path}/runs`] = async () => ({ params: { id: (await withRun()).id } })
    samples[`GET ${path}/runs/{run_id}`] = async () => ({ params: await withRun() })
    samples[`GET ${path}/runs/{run_id}/changes`] = async () => ({ params: await withRun(true) })
    if (collection !== '/mdm_posture_providers') {
      samples[`POST ${path}/runs/{run_id}/rewind`] = async () => ({ params: await withDeletions(await withRun()) })
    }
  }

  samples['GET /idp_directories/{id}/jwks'] = async () => {
    const { collection, envelope, fields } = configurations['idp directory'] as (typeof configurations)[string]
    return { params: { id: (await make(`POST ${collection}`, { body: { [envelope]: fields() } })).id } }
  }

  const identity = async () => {
    const actor = await insertActor(accountId)
    const { id } = await insertIdentity(accountId, actor.id)
    return { actor_id: actor.id, id }
  }
  samples['GET /actors/{actor_id}/external_identities'] = async () => ({
    params: { actor_id: (await identity()).actor_id },
  })
  samples['GET /actors/{actor_id}/external_identities/{id}'] = async () => ({ params: await identity() })
  samples['DELETE /actors/{actor_id}/external_identities/{id}'] = async () => ({ params: await identity() })
  samples['GET /mdm_devices'] = () => ({})
  samples['GET /mdm_devices/{id}'] = async () => {
    const { id } = await insertMdmDevice({ id: accountId }, fresh())
    return { params: { id } }
  }
}
