import type { DynamoDBRecord } from 'aws-lambda'
import { afterEach, expect, it, vi } from 'vitest'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { handler as deleteSite } from '#functions/api/sites/delete-site.ts'
import { handler as followUp } from '#functions/streams/follow-up.ts'
import { type ResourceRow, resources } from '#shared/domain/resources/resource.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { hostFields } from '#test/support/accounts/row-fields.ts'
import { followUpAll, readCommits, toStreamRecord } from '#test/support/logs/commit-stream.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Creates a site with more resources than one transaction can delete. */
async function newSite() {
  const world = await newAccessWorld()
  await plantRows<ResourceRow>(world.account.id, resources, 40, (i) => hostFields(i, world.site.id))
  return world
}

it('completes a deletion once if its process dies at any write, whether or not that write succeeded', async () => {
  for (const isResponseLost of [false, true]) {
    for (let writes = 0, died = true; died; writes++) {
      const { account, site } = await newSite()
      await account.call(deleteSite, { method: 'DELETE', params: { id: site.id } })
      const records = (await readCommits(account.id)).map((one) => toStreamRecord(one) as DynamoDBRecord)
      crashAfter(writes, { isResponseLost })
      died = (await followUp({ Records: records })).batchItemFailures.length > 0
      vi.restoreAllMocks()

      await followUpAll(account.id)
      expect((await account.call(listResources, { query: { site_id: site.id } })).body.metadata.total).toBe(0)
      const changes = (await readCommits(account.id)).flatMap((one) => one.changes)
      const deleted = changes.filter(({ object, operation }) => object === 'resources' && operation === 'delete')
      expect(new Set(deleted.map(({ before }) => (before as { id: string }).id)).size).toBe(41)
      expect(deleted).toHaveLength(41)
    }
  }
})
