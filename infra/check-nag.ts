import { findings, listAcknowledgements } from './nag/findings.ts'
import { withoutCode } from './without-code.ts'

const account = '111122223333'
const deployments: Record<string, unknown>[] = [
  {},
  { liveDomainName: 'live.example.com', liveCertificateArn: `arn:aws:acm:eu-central-1:${account}:certificate/1` },
  {
    encryptionKey: 'own',
    domainName: 'access.example.com',
    certificateArn: `arn:aws:acm:eu-central-1:${account}:certificate/1`,
    frontCertificateArn: `arn:aws:acm:us-east-1:${account}:certificate/2`,
    cdnSecretArn: `arn:aws:secretsmanager:eu-central-1:${account}:secret:origin-AbCdEf`,
    backupVaultArn: `arn:aws:backup:eu-west-1:${account}:backup-vault:copies`,
    suiteClientId: 'suite-app',
    suiteClientSecretArn: `arn:aws:secretsmanager:eu-central-1:${account}:secret:suite-AbCdEf`,
    mailSender: 'access@example.com',
    alarmEmail: 'operator@example.com',
    liveAccessLog: 'true',
    tracing: 'true',
  },
]

const acknowledgements = new Map<string, boolean>()
for (const context of deployments) {
  await withoutCode({ context }, (app) => {
    for (const { path, rule, description } of findings(app)) {
      process.stderr.write(`${path}: ${rule}\n  ${description}\n`)
      process.exitCode = 1
    }
    for (const [entry, isNeeded] of listAcknowledgements(app))
      acknowledgements.set(entry, isNeeded || acknowledgements.get(entry) === true)
  })
}
for (const [entry, isNeeded] of acknowledgements) {
  if (isNeeded) continue
  process.stderr.write(`${entry}\n  This finding is acknowledged but no longer occurs. Remove the acknowledgement.\n`)
  process.exitCode = 1
}
