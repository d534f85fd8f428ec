// Node does not run decorators, so `tsc` builds this service.
import 'reflect-metadata';
import { Controller, Get, Inject, Param, ServiceUnavailableException } from '@nestjs/common';
import { APP_GUARD, NestFactory, Reflector } from '@nestjs/core';
import type { Client } from 'arango-services';
import { createGuard, type Guard } from 'arango-services/guard';
import { createPermissionGuard, Needs } from './permission.js';

const GUARD = Symbol('guard');

@Controller('orders')
class OrdersController {
  @Get(':id')
  @Needs({ action: 'orders:read', resource: ({ id }) => `order:${id}` })
  find(@Param('id') id: string) {
    return { id, total: 12 };
  }
}

@Controller()
class HealthController {
  @Inject(GUARD) readonly guard!: Guard;

  /** Independent of other services, because a restart would not fix their outages. */
  @Get('live')
  @Needs('public')
  live() {
    return { status: 'up' };
  }

  /** While it fails, the process gets no requests, and is not restarted. */
  @Get('ready')
  @Needs('public')
  async ready() {
    await this.guard.ready({ timeout: 2_000 }).catch((cause: unknown) => {
      throw new ServiceUnavailableException({ status: 'not ready' }, { cause });
    });
    return { status: 'ready' };
  }
}

/** The orders service. `client` reaches the deployment, and is closed after the last response. */
export const createApp = (client: Client) =>
  NestFactory.create(
    {
      module: class AppModule {},
      controllers: [OrdersController, HealthController],
      providers: [
        { provide: GUARD, useValue: createGuard(client, { realm: 'orders' }) },
        { provide: 'closing', useValue: { onApplicationShutdown: () => client.close() } },
        { provide: APP_GUARD, inject: [GUARD, Reflector], useFactory: createPermissionGuard },
      ],
    },
    { logger: ['error', 'warn'], return503OnClosing: true },
  );
