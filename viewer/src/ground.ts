// A ground that fades into the distance: shadows and a grid whose lines stay one pixel wide.

import * as THREE from "three";
import type { Theme } from "./palette";

const VERTEX = `
varying vec2 at;
void main() {
    at = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
varying vec2 at;
uniform float cell, radius, thick;
uniform vec3 fine, coarse;
void main() {
    vec2 p = at / cell;
    vec2 w = 1.0 / (thick * fwidth(p));
    vec2 d = w * abs(fract(p - 0.5) - 0.5), e = 5.0 * w * abs(fract(0.2 * p - 0.5) - 0.5);
    float many = 1.0 - min(min(d.x, d.y), 1.0), few = 1.0 - min(min(e.x, e.y), 1.0);
    float fade = 1.0 - smoothstep(0.0625, 1.0, dot(at, at) / (radius * radius));
    gl_FragColor = vec4(mix(fine, coarse, few), max(0.85 * few, 0.55 * many) * fade);
}`;

export class Ground {
    readonly group = new THREE.Group();
    readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
    readonly shadow: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;

    constructor(extent: number, private readonly full: boolean) {
        const radius = 3.2 * extent;
        const plane = new THREE.PlaneGeometry(2 * radius, 2 * radius);
        const cell = Math.pow(10, Math.floor(Math.log10(extent / 2)));
        const uniforms = {
            cell: { value: extent / cell > 10 ? 2.5 * cell : cell }, radius: { value: radius }, thick: { value: 1 },
            fine: { value: new THREE.Color() }, coarse: { value: new THREE.Color() },
        };
        const material = new THREE.ShaderMaterial({
            uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
            side: full ? THREE.FrontSide : THREE.DoubleSide,
        });
        this.grid = new THREE.Mesh(plane, material);
        this.grid.renderOrder = 1;
        this.shadow = new THREE.Mesh(plane, new THREE.ShadowMaterial({ opacity: 0.3 }));
        this.shadow.receiveShadow = true;
        this.shadow.material.depthWrite = false;
        this.shadow.renderOrder = 0;
        this.group.add(this.shadow, this.grid);
        this.group.matrixAutoUpdate = false;
    }

    get cell(): number {
        return this.grid.material.uniforms.cell.value as number;
    }

    paint(theme: Theme): void {
        this.grid.material.uniforms.fine.value.set(theme.grid).convertLinearToSRGB(); // drawn as they are
        this.grid.material.uniforms.coarse.value.set(theme.gridStrong).convertLinearToSRGB();
        this.shadow.material.opacity = theme.shadow;
    }

    // `pixels` of the canvas for one of the page: lines are one of the page wide.
    show(grid: boolean, shadow: boolean, pixels: number): void {
        this.grid.material.uniforms.thick.value = Math.max(1, pixels);
        this.grid.visible = grid || this.full;
        this.shadow.visible = shadow;
    }

    place(matrix: THREE.Matrix4): void {
        this.group.matrix.copy(matrix);
        this.group.matrixWorldNeedsUpdate = true;
    }
}

// Behind everything: a soft gradient from the horizon up.
export class Backdrop {
    private readonly scene = new THREE.Scene();
    private readonly camera = new THREE.Camera();
    private readonly material: THREE.ShaderMaterial;

    constructor() {
        this.material = new THREE.ShaderMaterial({
            uniforms: { low: { value: new THREE.Color() }, high: { value: new THREE.Color() } },
            vertexShader: "uniform vec3 low, high; varying vec3 colour; void main() { colour = mix(low, high, smoothstep(-1.0, 1.0, position.y)); gl_Position = vec4(position.xy, 1.0, 1.0); }",
            fragmentShader: "varying vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }",
            depthTest: false, depthWrite: false,
        });
        const sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2, 1, 12), this.material);
        sheet.frustumCulled = false;
        this.scene.add(sheet);
    }

    paint(theme: Theme): void {
        this.material.uniforms.low.value.set(theme.background).convertLinearToSRGB();
        this.material.uniforms.high.value.set(theme.sky).convertLinearToSRGB();
    }

    draw(renderer: THREE.WebGLRenderer): void {
        renderer.render(this.scene, this.camera);
    }
}
