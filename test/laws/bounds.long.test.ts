import { beforeAll, describe, expect, it } from 'vitest'
import { listErrorCodes } from '#infra/openapi/errors.ts'
import { v0ErrorResponses } from '#infra/openapi/v0-errors.ts'
import { maxResponseBytes } from '#shared/core/json/response-size.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import type { Answer } from '#test/support/accounts/account.ts'
import { secondOfCpu } from '#test/support/largest/cpu-cost.ts'
import { canBeLarge, largeRequests, measureRequest } from '#test/support/largest/large-requests.ts'
import { type Entry, loadEntries } from '#test/support/operations/operations.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'

/** Maximum size of an AWS Lambda JSON payload, in bytes. */
const maxPayloadBytes = 6_291_556

const entries = await loadEntries()
let world: Awaited<ReturnType<typeof sampleRequests>>
beforeAll(async () => {
  world = await sampleRequests()
})

function expectDocumented({ operation }: Entry, { status, body }: Answer, note: string): void {
  expect(status, note).toBeLessThan(500)
  if (status < 400) return
  if (isV0(operation.path)) expect(Object.keys(v0ErrorResponses(operation, {})), note).toContain(String(status))
  else expect(listErrorCodes(operation), note).toContain(body.code)
}

/**
 * Returns the expected statuses for a valid generated body. Operations that redeem a code or passcode refuse every generated value, even if
 * its form is valid.
 */
const rightAnswers = ({ operation: { credential, refusals, status = 200 } }: Entry): number[] =>
  credential === 'none' && refusals?.includes('unauthorized') ? [401] : [status]

const smallest = ['null', '0', '""', '[]', '{}']

describe.each(entries.filter(({ operation }) => operation.body))('$name', (entry) => {
  it('answers minimal bodies with a status of its contract', async () => {
    const sample = (await world.samples[entry.name]?.()) ?? {}
    const envelope = entry.operation.body?.envelope
    const inside = envelope ? smallest.map((value) => `{"${envelope}":${value}}`) : []
    for (const rawBody of ['', 'null', '[]', '{}', ...inside]) {
      const answer = await world.send(entry.name, { ...sample, body: undefined, rawBody })
      expectDocumented(entry, answer, `${rawBody} → ${answer.status} ${answer.text.slice(0, 300)}`)
    }
  })
})

describe.each(entries.filter(canBeLarge))('$name', (entry) => {
  it('answers maximal bodies in time, with a status of its contract and within the response size', async () => {
    for (const request of await largeRequests(entry, world)) {
      const { what, answer, units } = await measureRequest(world, entry, request)
      const note = `${what} → ${answer.status} ${answer.text.slice(0, 300)}`
      if (request.what === 'the largest valid body') expect(rightAnswers(entry), note).toContain(answer.status)
      expectDocumented(entry, answer, note)
      expect(Buffer.byteLength(answer.text), note).toBeLessThanOrEqual(maxResponseBytes)
      expect(Buffer.byteLength(JSON.stringify({ ...answer, body: answer.text, text: '' })), note).toBeLessThanOrEqual(
        maxPayloadBytes,
      )
      expect(units, note).toBeLessThan(secondOfCpu)
    }
  })
})
