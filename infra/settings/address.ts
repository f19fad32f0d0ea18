import { integerSetting, oneOf, optional, secretArn, setting, textSetting, url } from './kinds.ts'

const certificate = textSetting(
  /^arn:[^:]+:acm:[^:]+:\d{12}:certificate\/\S+$/,
  'the ARN of a certificate in the region of the service',
)

/** CloudFront is in the partition of us-east-1 alone. */
const frontCertificate = textSetting(
  /^arn:aws:acm:us-east-1:\d{12}:certificate\/\S+$/,
  'the ARN of a certificate in us-east-1, of the partition aws',
)

const domain = textSetting(
  /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
  'a name like access.example.com',
)

export const addressSettings = {
  baseUrl: optional(url, 'address that callers use', "`domainName`, else the API's own"),
  domainName: optional(domain, "custom domain; the API's own address is turned off"),
  certificateArn: optional(certificate, 'certificate of `domainName`'),
  liveDomainName: optional(
    domain,
    'custom domain of the live channel, where no CDN is in front; another one than `domainName`',
    "the channel's own address",
  ),
  liveCertificateArn: optional(certificate, 'certificate of `liveDomainName`; can be that of `domainName`'),
  ipAddressType: setting(oneOf('dualstack', 'ipv4'), 'dualstack', 'whether IPv6 is answered, too'),
  frontCertificateArn: optional(frontCertificate, 'certificate of `domainName` for CloudFront, which is put in front'),
  webAclArn: optional(
    textSetting(/^arn:aws:wafv2:us-east-1:\d{12}:global\/webacl\/\S+$/, 'the ARN of a web ACL of CloudFront'),
    'web ACL of CloudFront that is there already',
    'one is made, in us-east-1',
  ),
  requestsPerAddress: setting(
    integerSetting(10, 2_000_000_000),
    60_000,
    'requests in five minutes that the web ACL lets through from one address',
  ),
  originSecretDays: setting(integerSetting(1, 1_000), 30, "how often CloudFront's secret rotates"),
  cdnSecretArn: optional(secretArn, 'secret that a CDN proves itself with: requests without it are refused'),
}
