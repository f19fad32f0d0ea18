import { readFileSync } from 'node:fs'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '#test/support/run/until.ts'
import { runLocal } from '#test/support/service/service.ts'
import { chromiumPath } from '#test/support/sign-in/browser.ts'
import { type Body, type ConsolePage, openConsole } from './console-page.ts'

const chromium = chromiumPath()
if (!chromium) process.stderr.write('There is no Chromium on this machine: the logs of the console are not tested.\n')

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const hostile = `\u202Egnp.evil\u202C <img src=x onerror=alert(1)> ${'x'.repeat(180)}`

let shown: ConsolePage
let page: Page
const ids: Record<string, string> = {}
const failures: string[] = []

const api = (...call: Parameters<ConsolePage['api']>) => shown.api(...call)
const request = (method: string, path: string, token: string, body?: unknown) => shown.api(method, path, body, token)
const open = (path: string) => shown.open(path)

const publicKey = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')

/** Largest counter of a flow report, which numbers of JavaScript cannot represent. */
const largest = '9223372036854775807'

/** Authorizes a client, and reports an open and a closed flow. The reports of the closed flow differ by two bytes. */
async function reportFlows(site: string, resource: string, actor: string): Promise<void> {
  const { token } = await api('POST', `/sites/${site}/gateway_tokens`)
  const gateway = await request('POST', '/gateway/sessions', token, {
    session: { public_key: publicKey(), version: '1.5.1', name: 'gw-1' },
  })
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  const client = (await api('POST', `/actors/${actor}/client_tokens`, { client_token: { expires_at } })).token
  const session = { public_key: publicKey(), version: '1.5.1', svc_id: crypto.randomUUID() }
  const { id, client: device } = await request('POST', '/client/sessions', client, { session })
  const granted = await request('POST', '/client/authorizations', client, {
    authorization: { resource_id: resource, session_id: id },
  })
  const { authorizations } = await request('PUT', `/gateway/sessions/${gateway.id}`, token, { session: {} })
  const start = new Date(Date.now() - 60_000).toISOString()
  const common = {
    protocol: 'tcp',
    inner_src_ip: device.ipv4,
    inner_dst_ip: granted.gateway.ipv4,
    inner_dst_port: 443,
    flow_start: start,
  }
  const outers = [{ dst_ip: '198.51.100.7', dst_port: 51820, path_activated_at: start }]
  const closed = { flow_end: start, last_packet: start, rx_packets: 1, tx_packets: 1, tx_bytes: 1, outers }
  const report = async (ingestToken: string, received: string) => {
    const flows = [
      { ...common, inner_src_port: 1 },
      { ...common, ...closed, inner_src_port: 2, rx_bytes: '#' },
    ]
    const response = await fetch(`${shown.service.baseUrl}/ingestion/flow_logs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ingestToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ flow_logs: flows }).replace('"#"', received),
    })
    if (!response.ok) throw new Error(await response.text())
  }
  await report(granted.ingest_token, largest)
  await report(authorizations[0].ingest_token, `${BigInt(largest) - 2n}`)
  ids.gateway = granted.gateway.id
  await until(async () => (await api('GET', '/logs?type=flow')).length === 4)
}

beforeAll(async () => {
  if (!chromium) return
  shown = await openConsole(chromium)
  page = shown.page
  const site = await api('POST', '/sites', { site: { name: 'Berlin' } })
  const group = await api('POST', '/groups', { group: { name: 'Staff' } })
  const actor = await api('POST', '/actors', { actor: { name: 'Robot', type: 'service_account' } })
  const wiki = { name: 'Wiki', type: 'dns', address: 'wiki.example.com', site_id: site.id }
  const resource = await api('POST', '/resources', {
    resource: { ...wiki, filters: [{ protocol: 'tcp', ports: ['443'] }] },
  })
  await api('POST', '/policies', { policy: { group_id: group.id, resource_id: resource.id } })
  await api('PATCH', `/groups/${group.id}/memberships`, { memberships: { add: [actor.id], remove: [] } })
  await reportFlows(site.id, resource.id, actor.id)
  const filters = [
    { protocol: 'tcp', ports: ['443'] },
    { protocol: 'udp', ports: ['53'] },
  ]
  await api('PATCH', `/resources/${resource.id}`, { resource: { address: 'new.example.com', filters } })
  const named = await api('POST', '/groups', { group: { name: hostile } })
  await api('DELETE', `/groups/${named.id}`)
  const doomed = await api('POST', '/sites', { site: { name: 'Doomed' } })
  await api('DELETE', `/sites/${doomed.id}`)
  Object.assign(ids, { resource: resource.id, actor: actor.id, group: group.id })
  const { code, stderr } = await runLocal('seal', [], { DATA_DIR: shown.service.dataDir })
  if (code !== 0) throw new Error(stderr)
  const changes: Body[] = await api('GET', '/logs?type=change&limit=100')
  const find = (object: string, operation: string) =>
    changes.find((one) => one.object === object && one.operation === operation).log_id
  Object.assign(ids, { change: find('resources', 'update'), deletion: find('sites', 'delete') })
  page.on('pageerror', (error) => failures.push(error.message))
  await shown.signIn()
}, 240_000)

afterAll(async () => {
  await shown?.close()
})

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

describe.skipIf(!chromium)('the changes of an account', () => {
  it('are lines in words, which open their differences (K9.1, K9.2)', async () => {
    await open('/changes')
    const line = page.getByText('Provisioning changed address and ports of the resource Wiki')
    await line.click()
    const differences = page.locator('.differences')
    await differences.getByText('new.example.com').waitFor()
    expect(await differences.locator('del').allTextContents()).toEqual(['wiki.example.com'])
    expect(await differences.locator('ins').allTextContents()).toEqual(['new.example.com', 'UDP 53'])
    await page.getByText('Provisioning added Robot to Staff').waitFor()
    await page.getByText('Provisioning deleted the site Doomed').waitFor()
  })

  it('are filtered by the address, and a rejected page shows the first one (K5.1)', async () => {
    await open(`/changes?object_id=${ids.resource}`)
    await page.getByText('created the resource').waitFor()
    await expect.poll(() => page.locator('.commits > li').count()).toBe(2)
    await open('/changes?object=sites&operation=delete')
    await expect.poll(() => page.locator('.commits > li').count()).toBe(1)
    await open('/changes?begin=2000-01-01T00:00:00.000Z&end=2000-01-02T00:00:00.000Z')
    await page.getByText('No changes match').waitFor()
    await open('/changes?page_cursor=wrong')
    await page.getByText('This is the first page.').waitFor()
  })

  it('name deleted objects from their history, and wait for a press when others add some (K5.7)', async () => {
    const gone = await api('POST', '/groups', { group: { name: 'Gone' } })
    await api('PATCH', `/groups/${gone.id}/memberships`, { memberships: { add: [ids.actor], remove: [] } })
    await api('DELETE', `/groups/${gone.id}`)
    await until(async () => (await api('GET', '/logs?type=change&object=memberships&operation=delete')).length === 1)
    await open('/changes?object=memberships')
    await page.getByText('removed Robot from Gone').waitFor()
    await api('PATCH', `/groups/${ids.group}/memberships`, { memberships: { add: [], remove: [ids.actor] } })
    await api('PATCH', `/groups/${ids.group}/memberships`, { memberships: { add: [ids.actor], remove: [] } })
    expect(await page.getByText('Provisioning removed Robot from Staff').count()).toBe(0)
    await page.getByRole('button', { name: 'Show', exact: true }).click({ timeout: 40_000 })
    await page.getByText('Provisioning removed Robot from Staff').waitFor()
  })

  it('put old values back through the form and its confirmation (K7.5)', async () => {
    await open(`/changes/${ids.change}`)
    await page.getByRole('link', { name: 'Put back' }).click()
    await page.getByText('Nothing is saved yet.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('wiki.example.com')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Change Wiki/ })
      .click()
    await heading(/^Wiki$/)
    const filters = [{ protocol: 'tcp', ports: ['443'] }]
    expect(await api('GET', `/resources/${ids.resource}`)).toMatchObject({ address: 'wiki.example.com', filters })
  })

  it('create a deleted object again', async () => {
    await open(`/changes/${ids.deletion}`)
    await page.getByRole('link', { name: 'Put back' }).click()
    await heading('New site')
    await page.getByRole('button', { name: 'Create site' }).click()
    await heading(/^Doomed$/)
    expect(await api('GET', '/sites?name=Doomed')).toHaveLength(1)
  })

  it('are a part of the details of an object, and raw with a key', async () => {
    await open(`/resources/${ids.resource}?show=history`)
    await page.getByText('created the resource').waitFor()
    await expect.poll(() => page.locator('.commits > li').count()).toBe(3)
    await open(`/changes/${ids.change}`)
    await heading(/^Change/)
    await page.keyboard.press('r')
    const raw = (await page.locator('.raw').textContent()) ?? ''
    expect(JSON.parse(raw)).toEqual(await api('GET', `/logs/${ids.change}`))
  })
})

describe.skipIf(!chromium)('the proof of an entry', () => {
  const kept = () =>
    page.evaluate<string>(`localStorage.getItem('console-seal-${shown.service.credentials.account_id}')`)
  const verify = async () => {
    await open('/changes')
    await open(`/changes/${ids.change}`)
    await page.getByRole('button', { name: 'Verify in this browser' }).click()
  }
  const invalidSteps = async () => {
    await page.getByText('Not proven.').waitFor()
    return page.locator('.proof-result details[open] > summary').allTextContents()
  }

  it('is verified in the browser, and saved for other tools (K9.3)', async () => {
    await verify()
    await page.getByText(/^Proven: this entry is sealed in leaf/).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save entry.json' }).click()
    const saved = JSON.parse(readFileSync(await (await download).path(), 'utf8'))
    expect(saved).toEqual({ data: await api('GET', `/logs/${ids.change}`) })
    const publicKey = (await (await fetch(`${shown.service.baseUrl}/seal.pub`)).text()).trim()
    expect(JSON.parse(await kept())).toMatchObject({
      key: publicKey,
      notes: { changes: expect.stringContaining('/changes\n') },
    })
  })

  it('reports an entry that differs from what was sealed', async () => {
    const before = await kept()
    const alter = (text: string) => text.replace('new.example.com', 'evil.example.com')
    await page.route(`**/logs/${ids.change}`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: alter(await response.text()) })
    })
    await shown.signIn()
    await verify()
    expect(await invalidSteps()).toEqual([expect.stringContaining('The entry has the hash that was sealed')])
    expect(await page.getByRole('button', { name: /^Trust/ }).count()).toBe(0)
    expect(await kept()).toBe(before)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('keeps what it has seen until a person confirms the difference (K9.4)', async () => {
    await open('/changes')
    const account = shown.service.credentials.account_id
    const longer = JSON.parse(await kept())
    longer.notes.changes = longer.notes.changes.replace(/\n\d+\n/, '\n999999\n')
    const stored = JSON.stringify(longer)
    await page.evaluate(`localStorage.setItem('console-seal-${account}', ${JSON.stringify(stored)})`)
    await shown.signIn()
    await verify()
    expect(await invalidSteps()).toEqual([expect.stringContaining('Key and checkpoint continue')])
    await page.getByText('The log is shorter than the checkpoint').waitFor()
    expect(await kept()).toBe(stored)
    await page.getByRole('button', { name: 'Trust the key and checkpoint of the service' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await kept()).toBe(stored)
    await page.getByRole('button', { name: 'Trust the key and checkpoint of the service' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Trust/ })
      .click()
    await page.getByRole('button', { name: 'Verify in this browser' }).click()
    await page.getByText(/^Proven/).waitFor()
  })

  it('reports a key that differs from a typed one, and accepts only keys', async () => {
    await page.getByText('Use a key from an independent source').click()
    const field = page.getByLabel('Verifier key')
    await field.fill('nonsense')
    await page.getByRole('button', { name: 'Keep this key' }).click()
    await page.getByText('This is not a verifier key').waitFor()
    const before = JSON.parse(await kept())
    const other = 'example.com/seal+7880d16b+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    await field.fill(other)
    await page.getByRole('button', { name: 'Keep this key' }).click()
    await page.getByText('This browser keeps the key.').waitFor()
    expect(JSON.parse(await kept())).toMatchObject({ key: other, notes: before.notes })
    await page.getByRole('button', { name: 'Verify in this browser' }).click()
    expect(await invalidSteps()).toEqual([
      expect.stringContaining('The checkpoint of this account is signed with the key'),
      expect.stringContaining('Key and checkpoint continue'),
    ])
    await field.fill(before.key)
    await page.getByRole('button', { name: 'Keep this key' }).click()
    await expect.poll(async () => JSON.parse(await kept()).key).toBe(before.key)
  })

  it('states that an entry is not sealed yet, was inserted, or is lost', async () => {
    const created = await api('POST', '/groups', { group: { name: 'Fresh' } })
    let entry: Body
    await expect
      .poll(async () => {
        const entries = await api('GET', `/logs?type=change&object_id=${created.id}`)
        entry = entries[0]
        return entries.length
      })
      .toBe(1)
    await open(`/changes/${entry.log_id}`)
    await page.getByRole('button', { name: 'Verify in this browser' }).click()
    await page.getByText(/^Not sealed yet. Try again in \d+ minutes?/).waitFor()
    await page.route('**/logs/checkpoints/changes', async (route) => {
      const response = await route.fetch()
      const { data } = await response.json()
      const signed_at = new Date(Date.parse(entry.timestamp) + 3_600_000).toISOString()
      await route.fulfill({ response, json: { data: { ...data, signed_at } } })
    })
    await page.getByRole('button', { name: 'Verify in this browser' }).click()
    await page.getByText('the entry was inserted later').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.route(`**/logs/${ids.deletion}`, (route) => route.fulfill({ status: 404, json: { code: 'not_found' } }))
    await open(`/changes/${ids.deletion}`)
    await page.getByText('Sealed, but not found').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await open('/changes/c00000000000000000000000')
    await page.getByText('This address names nothing').waitFor()
    expect(await page.getByRole('button', { name: 'Verify in this browser' }).count()).toBe(0)
  })
})

describe.skipIf(!chromium)('the flows of an account', () => {
  it('join the reports of both sides, with an exact difference (K8.3)', async () => {
    await open('/flows')
    await page.getByRole('cell', { name: 'Bytes received: +2' }).waitFor()
    const rows = page.getByRole('table', { name: 'Flows' }).locator('tbody tr')
    expect(await rows.count()).toBe(2)
    await page.getByText(`1\u00a0/\u00a0${(BigInt(largest) - 2n).toLocaleString('en')}`).waitFor()
    await page.getByText(/^Open for/).waitFor()
    expect(new URL(page.url()).searchParams.get('begin')).toMatch(/:00:00\.000Z$/)
  })

  it('are plotted, with the same exact numbers in a table (K8.2)', async () => {
    await open('/flows?by=resource&order=bytes')
    await page.locator('.plot svg rect').first().waitFor({ state: 'attached' })
    await page.getByText('Show as a table').click()
    const [cell] = await page
      .getByRole('table', { name: 'Show as a table' })
      .locator('tbody td:nth-child(2)')
      .allTextContents()
    expect(cell).toBe((BigInt(largest) - 1n).toLocaleString('en'))
    await page.getByRole('button', { name: /^Wiki/ }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('resource')).toBe(ids.resource)
  })

  it('have columns without height in a window without flows', async () => {
    await open('/flows?begin=2026-01-01T00:00:00.000Z&end=2026-01-02T00:00:00.000Z')
    await page.getByText('No flows match').waitFor()
    const columns = page.locator('.plot-area svg rect')
    await expect.poll(() => columns.count()).toBe(24)
    const heights = await columns.evaluateAll((all) => all.map((one) => one.getAttribute('height')))
    expect(new Set(heights)).toEqual(new Set(['0']))
    const labels = page.locator('.plot-area [aria-label="y-axis tick label"] text')
    expect(await labels.allTextContents()).toEqual(['0', '1'])
  })

  it('have a window that keys and a pointer set', async () => {
    await open('/flows')
    await page.locator('.plot svg g').first().waitFor({ state: 'attached' })
    const hours = () => {
      const { searchParams } = new URL(page.url())
      return (Date.parse(searchParams.get('end') ?? '') - Date.parse(searchParams.get('begin') ?? '')) / 3_600_000
    }
    expect(hours()).toBe(24)
    await page.locator('.plot-area').focus()
    for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft']) await page.keyboard.press(key)
    await expect.poll(hours).toBe(2)
    await open('/flows')
    await expect.poll(hours).toBe(24)
    const box = await page.locator('.plot-area').boundingBox()
    if (!box) throw new Error('The plot is not shown.')
    await page.mouse.move(box.x + box.width / 2, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 12, box.y + 50, { steps: 4 })
    await page.mouse.up()
    await expect.poll(hours).toBeLessThan(14)
    expect(hours()).toBeGreaterThan(9)
    await open('/flows?begin=2026-01-01T00:00:00.000Z&end=2026-03-01T00:00:00.000Z')
    await page.getByText('Flows are plotted for at most 31 days.').waitFor()
  })

  it('are filtered by a gateway or a client, which exclude each other', async () => {
    const sent: string[] = []
    page.on('request', (one) => sent.push(one.url()))
    await open(`/flows?gateway=${ids.gateway}&client=${ids.actor}`)
    await expect.poll(() => sent.some((url) => url.includes(`device_id=${ids.actor}`))).toBe(true)
    expect(sent.some((url) => url.includes(`device_id=${ids.gateway}`))).toBe(false)
    await open(`/flows?client=${ids.actor}`)
    await page.getByRole('combobox', { name: 'Gateway' }).fill('gw')
    await page.getByRole('option', { name: 'gw-1' }).click()
    await expect.poll(() => page.url()).toContain(`gateway=${ids.gateway}`)
    expect(page.url()).not.toContain('client=')
    await page.getByRole('heading', { level: 1 }).click()
  })

  it('are searched further back only by a button (K8.5)', async () => {
    const requests: string[] = []
    await page.route(/\/logs\?.*type=flow/, async (route) => {
      requests.push(route.request().url())
      const metadata = {
        limit: 100,
        next_page: 'further',
        prev_page: null,
        read_until: '2026-11-20T10:00:00.000000Z',
        total: 0,
        count: 0,
      }
      await route.fulfill({ json: { data: [], metadata } })
    })
    await open('/flows?port=22')
    await page.getByText('Searched back to').waitFor()
    expect(requests).toHaveLength(1)
    await page.getByRole('button', { name: 'Search further back' }).click()
    await expect.poll(() => requests.at(-1)).toContain('page_cursor=further')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('state what was not counted exactly, or not at all', async () => {
    await page.route(/\/logs\/histogram/, async (route) => {
      const response = await route.fetch()
      const { data } = await response.json()
      await route.fulfill({
        response,
        json: { data: { ...data, approximate: true, counted_from: '2026-11-20T10:00:00Z' } },
      })
    })
    await open('/flows?port=443')
    await page.getByText('Numbers are approximate').waitFor()
    await page.getByRole('button', { name: 'Show what is earlier' }).click()
    expect(new URL(page.url()).searchParams.get('end')).toBe('2026-11-20T10:00:00Z')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

describe.skipIf(!chromium)('the refusals of an account', () => {
  it('open the explorer with the same circumstances (K8.6)', async () => {
    await open('/refusals')
    await page.getByText('No refusals yet').waitFor()
    const row = {
      hour: 'h',
      actor_id: ids.actor,
      client_id: 'c1',
      resource_id: ids.resource,
      reason: 'no_policy',
      violated: [],
      count: 41,
    }
    const data = [{ ...row, first_at: 't', last_at: '2026-11-29T10:00:00Z', ip: '192.0.2.1', ip_region: 'DE' }]
    const metadata = { limit: 50, next_page: null, prev_page: null, read_until: null }
    await page.route(/\/access\/refusals/, (route) => route.fulfill({ json: { data, metadata } }))
    await open('/refusals?reason=no_policy')
    const link = page.getByRole('link', { name: 'Explain' })
    expect(await link.getAttribute('href')).toContain(
      `/access?actor=${ids.actor}&resource=${ids.resource}&client=c1&at=2026`,
    )
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

describe.skipIf(!chromium)('every screen of the logs', () => {
  const paths = () => [
    ...['flows', 'flows?by=resource', 'changes', 'sessions', 'requests', `changes/${ids.change}`],
    ...[`resources/${ids.resource}?show=history`, `resources/${ids.resource}?show=flows`],
    'refusals',
  ]

  it.each(['light', 'dark'] as const)(
    'has no fault that axe-core finds in %s, and fits into 320 px (K10.1)',
    async (scheme) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      const found: string[] = []
      await page.evaluate(axe)
      for (const width of [1280, 320])
        for (const path of paths()) {
          await page.setViewportSize({ width, height: 844 })
          await open(`/${path}`)
          await page.getByRole('heading', { level: 1 }).waitFor()
          await page.evaluate('for (const one of document.querySelectorAll("main details")) one.open = true')
          await page.waitForTimeout(100)
          const result: Body = await page.evaluate(`axe.run({ exclude: ['[data-live-announcer]'] })`)
          for (const { id, nodes } of result.violations)
            found.push(`${path} ${width}: ${id}: ${nodes[0].html.slice(0, 200)}`)
          const wide =
            "[...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.table-frame, .raw, svg')).map((one) => one.outerHTML.slice(0, 120)).slice(0, 3)"
          if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
            found.push(`${path} ${width}: ${await page.evaluate(wide)}`)
        }
      expect(found).toEqual([])
      expect(await page.locator('img').count()).toBe(0)
    },
  )

  it('takes at most 8 requests (K10.3)', async () => {
    await page.setViewportSize({ width: 1280, height: 844 })
    const counts: Record<string, number> = {}
    for (const path of [...paths(), 'flows?by=policy', 'flows?order=bytes&by=actor']) {
      await shown.signIn('/settings')
      await page.waitForLoadState('networkidle')
      let count = 0
      const note = (one: Request) => {
        if (!one.url().includes('/console/')) count += 1
      }
      page.on('request', note)
      await open(`/${path}`)
      await page.waitForLoadState('networkidle')
      await page.waitForTimeout(500)
      page.off('request', note)
      counts[path] = count
    }
    expect(Object.entries(counts).filter(([, count]) => count > 8 || count === 0)).toEqual([])
  })

  it('violated neither its content security policy nor any expectation of its code', () => {
    expect(shown.browsing.violations).toEqual([])
    expect(failures).toEqual([])
  })
})
