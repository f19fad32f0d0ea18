import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { CreateBucketCommand, ListObjectVersionsCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { awsClients } from '#shared/core/aws/clients.ts'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { s3 } from '#shared/core/aws/s3.ts'
import { objectStoreCases } from '#test/support/service/object-store-cases.ts'

const python = (...parameters: string[]) => spawnSync('python3', parameters)
const hasMoto = python('-c', 'import moto.server, flask').status === 0
if (!hasMoto)
  process.stderr.write('There is no moto here (pip install "moto[s3,server]"): no other S3 server is tested.\n')

/** Starts the server on a free port, and prints the port. */
const serve = `
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
`

describe.skipIf(!hasMoto)('a bucket of the S3 server moto', () => {
  let server: ChildProcess
  let endpoint = ''

  beforeAll(async () => {
    server = spawn('python3', ['-c', serve], { stdio: ['pipe', 'pipe', 'ignore'] })
    if (!server.stdout) throw new Error('The server has no output.')
    const [line] = await once(server.stdout, 'data')
    endpoint = `http://127.0.0.1:${Number(line)}`
  })

  afterAll(() => void server.kill())

  it.each(objectStoreCases)('%s', async (title, run) => {
    const bucket = `bucket-${objectStoreCases.findIndex(([name]) => name === title)}`
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'us-east-1')
    vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint)
    vi.stubEnv('ARCHIVE_FOLDER', '')
    vi.stubEnv('ARCHIVE_BUCKET', bucket)
    awsClients.clear()
    onTestFinished(() => {
      awsClients.clear()
      vi.unstubAllEnvs()
    })
    await s3().send(new CreateBucketCommand({ Bucket: bucket }))
    const VersioningConfiguration = { Status: 'Enabled' as const }
    await s3().send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }))
    await run(archiveStore())
    if (title.startsWith('deletes older versions')) {
      const { Versions = [] } = await s3().send(new ListObjectVersionsCommand({ Bucket: bucket }))
      expect(Versions.map(({ Key, IsLatest }) => `${Key} ${IsLatest}`).sort()).toEqual([
        'a/file true',
        ...['a/file-2 false', 'a/file-2 false', 'a/file-2 true'],
      ])
    }
    expect(await Array.fromAsync(archiveStore().list('absent/'))).toEqual([])
  })
})
