import { CfnOutput } from 'aws-cdk-lib'
import { CfnApiMapping, CfnDomainName } from 'aws-cdk-lib/aws-apigatewayv2'
import { Construct } from 'constructs'

type Props = {
  domainName: string
  certificateArn: string
  ipAddressType: string
  apiId: string
  stage: string
  /** Path that leads to the API; the root unless there is one. */
  path?: string
  /** Name of the output with what the DNS points at. */
  output: string
}

/** A name of the operator's for an API of API Gateway. Whoever runs the DNS points it at the target. */
export class CustomDomain extends Construct {
  readonly target: string

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    const { domainName, certificateArn, ipAddressType, apiId, stage, path, output } = props
    const domain = new CfnDomainName(this, 'Name', {
      domainName,
      domainNameConfigurations: [
        { certificateArn, ipAddressType, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' },
      ],
    })
    new CfnApiMapping(this, 'Mapping', { apiId, stage, domainName: domain.ref, apiMappingKey: path })
    this.target = domain.attrRegionalDomainName
    new CfnOutput(this, output, { value: this.target }).overrideLogicalId(output)
  }
}
