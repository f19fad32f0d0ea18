import { randomUUID } from 'node:crypto'
import { providerKinds } from '#shared/auth-providers/auth-provider.ts'
import { discovery } from '#shared/auth-providers/discovery.ts'
import { directoryKinds } from '#shared/directories/directory.ts'
import { mdmDevices } from '#shared/mdm-devices/mdm-device.ts'
import { insertIdentity } from './identities.ts'
import { insertActor, insertRow } from './rows.ts'
import type { Request, Sample } from './sample-requests.ts'

type Fields = Record<string, unknown>
type Make = (name: string, request?: Request) => Promise<{ id: string }>

const fresh = () => randomUUID()

/** Valid fields of everything that an administrator configures under a path of its own. */
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
                client_secret: 'secret',
                discovery_document_uri: 'https://login.example.com/.well-known/openid-configuration',
              },
              suite: {},
              tenant: { name: fresh(), issuer: `https://${fresh()}.example.com` },
              idp: { name: fresh(), client_id: fresh(), client_secret: 'secret', idp_domain: 'idp.example.com' },
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
                service_account_key: 'secret',
              },
              tenant: { name: fresh(), tenant_id: fresh() },
              idp: { name: fresh(), client_id: fresh(), idp_domain: 'idp.example.com' },
            })[kind],
        },
      ]),
    ),
    posture: {
      collection: '/mdm_posture_providers',
      envelope: 'mdm_posture_provider',
      fields: () => ({ type: 'tenant', name: fresh(), tenant_id: fresh() }),
    },
  }

/** Adds the samples of providers, directories, identities and managed devices. */
export function addConfigurationSamples(samples: Record<string, Sample>, accountId: string, make: Make): void {
  for (const { collection, envelope, fields, single } of Object.values(configurations)) {
    let last: string | undefined
    const clear = async () => {
      if (single && last) await make(`DELETE ${collection}/{id}`, { params: { id: last } })
      last = undefined
    }
    const body = () => ({ [envelope]: fields() })
    const made = async () => {
      await clear()
      discovery.read = async () => ({ issuer: 'https://login.example.com' })
      const { id } = await make(`POST ${collection}`, { body: body() })
      last = id
      return id
    }
    samples[`GET ${collection}`] = () => ({})
    samples[`GET ${collection}/{id}`] = async () => ({ params: { id: await made() } })
    samples[`PATCH ${collection}/{id}`] = async () => ({
      params: { id: await made() },
      body: { [envelope]: { name: fresh() } },
    })
    samples[`DELETE ${collection}/{id}`] = async () => {
      const id = await made()
      last = undefined
      return { params: { id } }
    }
    samples[`POST ${collection}`] = async () => {
      // A kind of which there is one has to be free: the request before made it.
      if (single) {
        const listed = (await make(`GET ${collection}`)) as unknown as { id: string }[]
        for (const { id } of listed) await make(`DELETE ${collection}/{id}`, { params: { id } })
        last = undefined
      }
      return { body: body() }
    }
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
    const { id } = await insertRow(accountId, mdmDevices, {
      account_id: accountId,
      posture_provider_id: fresh(),
      mdm_id: fresh(),
      synced_at: '2026-01-01T00:00:00.000000Z',
    })
    return { params: { id } }
  }
}
