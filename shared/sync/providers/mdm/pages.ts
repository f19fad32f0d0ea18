import { fieldsOf } from '../../../core/json/is-object.ts'
import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import type { InventoryAdapter, InventoryDevice } from '../../inventory-adapter.ts'
import type { Page } from '../../page.ts'
import { ProviderFault } from '../../provider-fault.ts'
import { ask, bearer, type Provider } from '../ask.ts'
import { type Call, nameOf } from '../call.ts'
import { evenPace } from '../pace.ts'
import { PageWatch } from '../page-watch.ts'
import { type Fields, nextPlace, rowsOf, textOf } from '../rows-of.ts'
import { fixedToken } from '../token-source.ts'
import type { MdmConnection } from './connection.ts'
import { mdmFault } from './errors.ts'
import { listFields, type MdmList, mdmDevice } from './mapping.ts'

/** Half of 10,000 an hour, which all tokens of a customer share; a step that begins anew may begin with a burst. */
const half = { perSecond: 1.25, burst: 50 }

const perPage = 300

/** A place among the devices: where to read, and the last device that was read before. */
type DevicePlace = { offset: number; last: string }
/** A place in a list beside: the provider's cursor where there is one, how many were read, and the first of the page before. */
type BesidePlace = { offset: number; cursor: string | null; read: number; first?: string | null }

const besides = Object.keys(listFields).filter((list): list is MdmList => list !== 'devices')

/** Kandji / Iru: device API (`identity-wire.md`, 1.4). */
export function mdmInventory(connection: MdmConnection, fetch: GuardedFetch): InventoryAdapter {
  const provider: Provider = {
    secrets: [],
    tokens: fixedToken(connection.apiToken),
    pace: evenPace(half),
    send: bearer(fetch),
    faultOf: mdmFault,
  }

  const watch = new PageWatch()

  async function get(path: string, query: Record<string, string>, continues: boolean) {
    const url = new URL(`${connection.apiUrl}/api/v1/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const call: Call = { url, continues }
    return { call, json: (await ask(provider, call)).json }
  }

  /**
   * Devices by their ids. A page begins with the last one of the page before: when devices before it went meanwhile, it is
   * missing there, others have moved into pages that were read, and the list is read again from further up.
   */
  async function readDevices(position: string | null): Promise<Page<InventoryDevice>> {
    const place: DevicePlace | null = position === null ? null : JSON.parse(position)
    const offset = place?.offset ?? 0
    const query = { limit: String(perPage), offset: String(offset), ordering: 'device_id' }
    const { call, json } = await get('devices', query, place !== null)
    const rows = rowsOf(call, json, 'the list', 'device_id')
    const ids = rows.map(({ id }) => id)
    const first = rows[0]?.id
    if (place && offset > 0 && (first === undefined || first > place.last)) {
      const earlier: DevicePlace = { offset: Math.max(0, offset - perPage + 1), last: place.last }
      const barren = watch.isBarren('devices', ids, position, String(earlier.offset))
      return { entries: [], skipped: [], next: JSON.stringify(earlier), barren }
    }
    const isFull = rows.length >= perPage
    const last = isFull ? nextPlace(call, rows.at(-1)?.id ?? null, place?.last ?? null) : null
    const next: DevicePlace | null = last === null ? null : { offset: offset + rows.length - 1, last }
    const fresh = place && first === place.last ? rows.slice(1) : rows
    return {
      entries: fresh.map((row) => mdmDevice('devices', row)),
      skipped: [],
      next: next && JSON.stringify(next),
      barren: watch.isBarren('devices', ids, position, last),
    }
  }

  function besidePlace(call: Call, body: Fields, place: BesidePlace, rows: { id: string }[]): BesidePlace | null {
    const count = rows.length
    const read = place.read + count
    const cursor = textOf(body.cursor)
    const first = nextPlace(call, rows[0]?.id ?? null, place.first ?? null)
    const isLast = count === 0 || (cursor === null && count < perPage)
    if (!isLast) return { offset: place.offset + count, cursor, read, first }
    if (typeof body.total === 'number' && read < body.total) {
      const sentence = `${nameOf(call)} answered invalid data: ${body.total} entries are counted, and ${read} are listed.`
      throw new ProviderFault('lost_place', sentence, { atLast: 'fatal' })
    }
    return null
  }

  async function readBeside(list: MdmList, position: string | null): Promise<Page<InventoryDevice>> {
    const place: BesidePlace = position === null ? { offset: 0, cursor: null, read: 0 } : JSON.parse(position)
    const from: Record<string, string> =
      place.cursor === null ? { offset: String(place.offset) } : { cursor: place.cursor }
    const { call, json } = await get(`prism/${list}`, { limit: String(perPage), ...from }, position !== null)
    const body = fieldsOf(json)
    const rows = rowsOf(call, body.data, 'data', 'device_id')
    const next = besidePlace(call, body, place, rows)
    const entries = rows.map((row) => mdmDevice(list, row))
    const goesOn = next && JSON.stringify(next)
    const ids = rows.map(({ id }) => id)
    return { entries, skipped: [], next: goesOn, barren: watch.isBarren(list, ids, position, goesOn) }
  }

  return {
    lists: ['devices', ...besides],
    async read(list, position) {
      if (list === 'devices') return readDevices(position)
      try {
        return await readBeside(list as MdmList, position)
      } catch (error) {
        if (!(error instanceof ProviderFault) || error.faultClass !== 'object_gone') throw error
        return { entries: [], skipped: [{ idp_id: list, name: list, reason: 'list_not_readable' }], next: null }
      }
    },
  }
}
