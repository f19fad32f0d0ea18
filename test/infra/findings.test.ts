import { App, Stack } from 'aws-cdk-lib'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import { expect, it } from 'vitest'
import { acknowledge } from '#infra/nag/acknowledge.ts'
import { findings, listAcknowledgements } from '#infra/nag/findings.ts'

function bucketIn(app: App): Bucket {
  return new Bucket(new Stack(app, 'Stack'), 'Bucket', { enforceSSL: true })
}

it('reports findings that are not acknowledged', () => {
  const app = new App()
  const bucket = bucketIn(app)
  expect(findings(app).map(({ path, rule }) => `${path}: ${rule}`)).toEqual(['Stack/Bucket/Resource: AwsSolutions-S1'])
  acknowledge(bucket, 'AwsSolutions-S1', 'for this test')
  expect(findings(app)).toEqual([])
})

it('reports an unnecessary acknowledgement', () => {
  const app = new App()
  const bucket = bucketIn(app)
  acknowledge(bucket, 'AwsSolutions-S1', 'for this test')
  acknowledge(bucket, 'AwsSolutions-S10', 'for this test')
  expect(Object.fromEntries(listAcknowledgements(app))).toEqual({
    'Stack/Bucket: AwsSolutions-S1': true,
    'Stack/Bucket: AwsSolutions-S10': false,
  })
})
