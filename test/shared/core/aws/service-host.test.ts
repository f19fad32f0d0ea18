import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { serviceHost } from '#shared/core/aws/service-host.ts'

afterEach(() => vi.unstubAllEnvs())

it('is in the region and partition of the deployment', () => {
  vi.stubEnv('AWS_REGION', 'cn-north-1')
  vi.stubEnv('URL_SUFFIX', 'amazonaws.com.cn')
  expect(serviceHost('lambda')).toBe('lambda.cn-north-1.amazonaws.com.cn')
  expect(serviceHost('s3', 'cn-northwest-1')).toBe('s3.cn-northwest-1.amazonaws.com.cn')
})

it('is the only place that knows the end of a host', () => {
  const allowed = [
    'shared/core/env.ts',
    // CloudFront is one for the whole partition, and has no host in a region.
    'shared/jobs/origin-secret/distribution.ts',
    // The name space of a document of S3 is the same in every partition.
    'shared/seal/sealing/object-locks.ts',
  ]
  const spelling = ['shared', 'functions'].flatMap((root) =>
    readdirSync(root, { recursive: true })
      .map((file) => join(root, String(file)))
      .filter((file) => file.endsWith('.ts') && readFileSync(file, 'utf8').includes('amazonaws.com')),
  )
  expect(spelling.filter((file) => !allowed.includes(file))).toEqual([])
})
