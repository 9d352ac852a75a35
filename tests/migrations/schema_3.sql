BEGIN TRANSACTION;
CREATE TABLE hippo_call (
	study BIGINT NOT NULL, 
	call BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	record TEXT NOT NULL, 
	state TEXT NOT NULL, 
	device_seconds_before FLOAT NOT NULL, 
	PRIMARY KEY (study, call)
);
INSERT INTO "hippo_call" VALUES(1,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(2,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(3,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(4,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(5,0,0,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(5,1,1,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',1.07880099312751553952e-03);
INSERT INTO "hippo_call" VALUES(5,2,2,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',1.22190499314456246793e-03);
INSERT INTO "hippo_call" VALUES(6,0,0,'{"tuner": "streaming"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(6,1,1,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',0.00198822901074891);
INSERT INTO "hippo_call" VALUES(6,2,2,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',2.91937501242500729858e-03);
INSERT INTO "hippo_call" VALUES(7,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(7,1,1,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',5.13979598326841369271e-03);
INSERT INTO "hippo_call" VALUES(8,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(8,1,1,'{"extra_steps": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 6}','complete',4.13101998492493294179e-03);
INSERT INTO "hippo_call" VALUES(9,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(10,0,0,'{"tuner": "streaming"}','failed',0.0);
INSERT INTO "hippo_call" VALUES(11,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(12,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(13,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(14,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(15,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
CREATE TABLE hippo_checkpoint (
	"plan" BIGINT NOT NULL, 
	"key" VARCHAR(255) NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	sha256 TEXT NOT NULL, 
	state_hash TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	study BIGINT NOT NULL, 
	gone TEXT NOT NULL, 
	PRIMARY KEY ("plan", "key")
);
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e1-l1-n1-s2',1,2,149,'f8a3f93a37c00e88ce9aec8021cfca7b48e9800e6de18848e520ba66bc1e4258','81608b9055b377a465c56b4e992e972e2d460886e8656929c66c2db1d5ae499b',5.0956001359736546874e-05,1,'missing');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e1-l4-n1-s2',1,2,149,'438c402d0bfa393946654e6ae8021c06e083ed1ed346ae4561ec85dc029b3441','3bec757eb724b8f7f5c9bcce718cb8d6412c447b5daedf17153e0344cea75e95',5.03249975736252963542e-05,2,'missing');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e5-l4-n4-s2',4,2,149,'3429f02cc3ab8a50e477b3409ddf8f55c7990bb760a98e83806b25bfc4ffb5c0','ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0',5.02149996464140713214e-05,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e5-l5-n5-s4',5,4,149,'d532e0d17d17d206f7a49296f728e60c8f9f730faabbc3efa20eaa5655f21a4e','c6c5ed2db70247d111ed0a2d562895870fd6587cde669889fc0de7c1e0f7108c',1.96690016309730708599e-05,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e5-l6-n5-s8',5,8,149,'d6b319d943050f0887f7bd9bc06d45c70a5e6808ea145236b1d48cea2a59e734','7ccf99507720545ab465d548971ed34b76068852a4df47d63779e8878eaeffe5',1.69849990925285965204e-05,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e6-l7-n6-s3',6,3,149,'8f1c0d51b813bc77b1665379d5e38695fe05d7e60cfdf351fa8e831d13969398','8f87b52ea89e85a609579d42e1d1d059185fdbff14b82529aecc291ade59c2dc',2.22839989874046295881e-05,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e7-l11-n1-s4',1,4,149,'8d436d2080b0cf5beb378056a72adbaff16066702b0e23b3e5a5061b9129d4e5','40bfd8acb39008f8fc629cef63fe26a3bf4bb9a39eff8bc1657b8beb0a372b4f',1.94189997273497283458e-05,5,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e2-l12-n4-s2',4,2,149,'ae9eea2e452f180ca9abef74916a7868480466192782a92023b4cdca74a7462d','f89007e3e104f22f3cb4f135c5798ae243cd19a35b647752c69c8a3d6b79e68b',5.21080000908114e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e8-l13-n7-s2',7,2,149,'562fb6ddfce12d3014856db82bfb0321550e64aae037171eeb7166ba65e572e0','c24331926e9a3fa6b70a88044be9e146aad54426bf2a568a5dbd40c787364b79',3.40410006174352e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e2-l14-n4-s4',4,4,149,'fb25d107b07e80dcffdb9a97eded53401819c19496bc9bd99e0f002b2d77b39d','3f6c1e6a76ab985747271cc33e4b7047def94b02fec9ad7cb90d514f36c3356d',1.69459999597165733575e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e8-l15-n7-s4',7,4,149,'993f3cf3d2857ff2e4b311821bd0f76f973003398171ee7e9d6a49bf968dd520','7b360b708c96252fa1ce14c47cc443d2013082d5fdd761922bab9e7f7a37c99f',1.40709998959209769964e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e2-l16-n5-s2',5,2,149,'e0196cd0a4e59d6b4dd5a559152edb6aec54da31b7f822726d66304703392313','b24a71e32f50cf1c7153914a93700c3aec4af0fa151806f6280e9c487f3778b3',1.51130006997846066951e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e8-l17-n8-s2',8,2,149,'e07a8dbba1e3d0b98e5ad707ac30a2aa5c160671d3c9ae6692e7363b9e46a47c','5d088ba1ca5e0e8559a355fb19e4696ab5388762e77325dea1dbc23b37e9974f',1.36710004881024360656e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e2-l18-n6-s2',6,2,149,'f65d25ee100ca3696b8f694837563f3345121e769384facb009f3ac0b4d479c6','16e61b832fa0c2e7e967e965da8fe80437fd30e40848142105640840645f14ba',1.30400003399699926376e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e8-l19-n9-s2',9,2,149,'49837bf358b41670df0f3d5d5058e47291ca77f70a9f334c1997d18ee5b64613','44d6ace46f7d7ba1c67ab9ecbcb01161a070b5244f417c89f2eb477ad9fcd302',1.20080003398470580577e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e2-l20-n7-s2',7,2,149,'b669d48e586a99a4a7e8b3a97f9e8a079baf8e6db7baecadd59b555dcbb753d8','c9a1608d29b793a344f5412c2412446b3f6b59aadb303e91655824ac14164f6b',1.23179997899569571018e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e8-l21-n10-s2',10,2,149,'970b5684cf27744174538996444422be675cd3fdd64a0c2a5880186c0f5a112c','6dd45e138dbd40b70e1974e4f00bff0d96be4806206edf6a67c31de4c546a3ac',1.28889987536240369081e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e2-l22-n7-s4',7,4,149,'80f16f81dcad91ab530319929e719d0c2d53ad4fd7ca245efa16e0afb78cfcf5','e920267c6ccfbfb537924d8e605a0c608a16a07c084522ed3281c21512016f43',1.20879994938150048255e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e8-l23-n10-s4',10,4,149,'c2627cbf29277c4f94bea5902f9aa7f8fa2976e67cf26ba34f4b9db046cd59e3','5b9fd77ba6e56062d329fe4c6e76843db24c6244b33d48414dfec89b74a3ad91',1.26389968500006943941e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e2-l24-n8-s2',8,2,149,'673deec29c0f02b6e5c4eb9386c141d8cc50a8286d553c2ba6391ec316d99d6c','4e585ae47a3fbb6d0cab636a69168908a1b8ce45e0bc23c33efba573c2937823',2.11309998121578246355e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'e5dc21c7418d4c369bee50e8a2341367/p1/e8-l25-n11-s2',11,2,149,'3e7b17961ec647db728b713ce56d8336ce0967649d30f1f8eeb298d3291ca50c','b8811bcff2c2822f57ff29afe6837f119bd85147e416556e9c9ee07232b4838d',2.47669995587784796953e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e2-l26-n3-s4',3,4,149,'f0484799e1ee799b15d8df72c53e07113f8ac702a83b3cae0c431c4cd5749f80','fe6cd1c6e056bc3c5b53e524f6b93437daacbf827e569775f540b85ddfaa3bed',1.59539995365776121616e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e3-l27-n9-s2',9,2,149,'23fd29b74ce166943eb73c62b044b44bbe7fb2fe415f7e3243ad4c0c7243ae28','e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8',2.46469971898477524518e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e3-l28-n10-s4',10,4,149,'a3baa19c2e77755dc40d055d015f5f546f6fa0de42a4171a7bc991cd29617ee4','eb4956d93320110551e2cfda932fb7909b23e07f5c88499926cef3735443574b',1.70950006577186286449e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e4-l30-n11-s3',11,3,149,'bac8bb6640c4f69d6f0c06cdc4a8954374ecc1e8f46adbc516810ff01b922c71','43e94f03ee38d51e6f61df5a1523034a23aaff3162e79f59fed4a0a0ddfa1f2b',2.88829978671856224536e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'e5dc21c7418d4c369bee50e8a2341367/p3/e1-l1-n1-s2',1,2,149,'5c99327d4e379d51f71ab587107e3147aa5f488bc6bbf265a5a64da20a444955','3d39ed117309851de4116e9162c7b29470c348b1598bd86d000512d95d358bf5',4.32150009146425873041e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'e5dc21c7418d4c369bee50e8a2341367/p3/e1-l1-n2-s6',2,6,149,'ac46f0c30070c6405a59a64ac0eec2a24e8419f9589d676b09e5917451079ba6','106d8f7dc165040ea7a9eba188a1a49527a4192c7a5c3956d1a0c421894ed413',2.07310004043392837047e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'e5dc21c7418d4c369bee50e8a2341367/p4/e1-l2-n1-s2',1,2,149,'6343a3b45846caf367d6a52f8ef4a0ce20f454966040c946bbb3142886d8e956','b84cfad7812a3c5335cfeaf8157470e8c94da25ce39643dab68088659b8f1c07',2.40160006796941161155e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'e5dc21c7418d4c369bee50e8a2341367/p4/e1-l2-n2-s6',2,6,149,'835d45531265dc41a35a455ab7415937e1d40daba626167934d52e5868e8b5a2','0a5835ad9be5026cb24c0eeaff96d4ada0f7e082c8af8a8a0d77d8b6ff62e933',1.66549980349373072385e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'e5dc21c7418d4c369bee50e8a2341367/p5/e1-l3-n1-s2',1,2,149,'7fc7c769e508cd5dc4d65af9ab3a9436a67a2b833b5bbea24363584454f885e7','b85e094b37ff205bc91eae32b959aa1ba3f3ebe41bf74b8de31dcdb33cfe85f0',2.34050021390430629253e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'e5dc21c7418d4c369bee50e8a2341367/p5/e1-l3-n2-s6',2,6,149,'4680cfc08a48f4b70d9fb42bf934a89a3dcbd7b910d79328ff263ee2b33b1090','8d4f756e901a086d9fca67c480a92504e36cbda5b422ed361ad16c600a777692',1.4831999578746035695e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'e5dc21c7418d4c369bee50e8a2341367/p3/e1-l4-n1-s3',1,3,149,'a9cd77ddad86044370fc2e282da9b57cf71cc21a86e7c7fd09c6481e75e6d02e','3f7b8440bc654a7a1182a6d860cb72f9a9046730f4257dcfafa0d3df37b9cc40',1.6775000403868034482e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'e5dc21c7418d4c369bee50e8a2341367/p3/e1-l4-n3-s6',3,6,149,'b217e3fb8f9223d26340e9aa6afa0862b0a2cfcfd3f7927275356c5b396be057','202f806acc7426064f84bb24911dadd6ba3da8af9a9698372b1008a40ee1a07e',1.13069982035085558891e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'e5dc21c7418d4c369bee50e8a2341367/p5/e1-l5-n1-s3',1,3,149,'6dbdf090c25642fbeaba9ca3711a0ed990224d429b8064b2566a1875ef220068','9d1fee37b049ce1c0b882aa0fd421639b84a5003c9f7cffbe6cd90260a49d8d5',1.42110002343542873859e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'e5dc21c7418d4c369bee50e8a2341367/p5/e1-l5-n3-s6',3,6,149,'3ffcd3ddc0aafd874ac6b2e8c17e6460f03935e40a9311da76d5e8b85f004d87','d7cfb89d7bbda5db56f733ee273efffc29a6ad8caaffaacca5b9f7af2416e67e',9.65399885899387300014e-06,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'e5dc21c7418d4c369bee50e8a2341367/p4/e1-l6-n1-s3',1,3,149,'a2c4cf13f311ddf2ab9ac5a41c969ffe803979bd620cf16538a47e5952b53ee7','629ad02a3ca49248f4d3aea1d0a82e2e7d3f6bd5b3f6f6d5f41c705519bc04a8',1.5443001757375895977e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'e5dc21c7418d4c369bee50e8a2341367/p4/e1-l6-n3-s6',3,6,149,'2b63d32080a4ae3b67577630edfa1827891fda814d38d7a12585252dc030d0a0','f7a8815999beee21d9d27cb6a179cf73dbc6cb74f53f09900a957f2aac0764f6',9.98500036075711250305e-06,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'e5dc21c7418d4c369bee50e8a2341367/p3/e1-l7-n1-s4',1,4,149,'14fcd6fadcbe7e12e63b2d4c0ac4ae15816864225d6ad68ee3765003b9c776d0','7d07a3e631e5ae1e87488ec07cb45356e09f4322f26461518244aaedfe479c98',1.31689994304906576871e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'e5dc21c7418d4c369bee50e8a2341367/p3/e1-l7-n4-s6',4,6,149,'5a28bbae1f03ad442c0954626d5fb40b238d89c0dd0c0877e4f23345bdc9604f','cdb1ff3cf884afa1cff95e0bf9e9f0642a4296574b48da5a8dbeb9824736f590',9.48399974731728434562e-06,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'e5dc21c7418d4c369bee50e8a2341367/p5/e1-l8-n1-s4',1,4,149,'1527576ebfa80aff52e77fb6b78545fd921da0105b41f9da3623f82e8f0005b1','6b82ed40479132b4af611811c5c692baae988cba3278d344ab5dccec28915dd9',1.32399982248898595571e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'e5dc21c7418d4c369bee50e8a2341367/p5/e1-l8-n4-s6',4,6,149,'b631d1e3073fb2639dc571fdd7e68bc246692f6d2bbe74e2f05e18bee83cb2ba','be536ccee8f6b9ae75ff1196844acfe7dfa9ad539d6c3b0fd9abe38dcf711176',1.03250022220890969038e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'e5dc21c7418d4c369bee50e8a2341367/p4/e1-l9-n1-s4',1,4,149,'a7bb8c5447563913fd27f0977d8af1179987630e8044d589b4ac6c88e19a4ac3','bcae085497a4e65ee8826598eb50ae9bdb9b9aee1244dac8637c7a251e451445',1.26190025184769183397e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'e5dc21c7418d4c369bee50e8a2341367/p4/e1-l9-n4-s6',4,6,149,'dc86787f06e2c9b97df599324d052cf7f7d2adf5682f7c3c24f9078fc099ac59','3057041505e33f095b3ea8ef0b064d91d656a0afc7a4ce1a76bab241723b259a',9.17400029720738530158e-06,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'e5dc21c7418d4c369bee50e8a2341367/p3/e1-l10-n1-s5',1,5,149,'2fc34b20409d719ec3501ac100f4aa70f969e06f5d2e677fd4abedcdfd77e590','ca7a5e0e2024f0cd92ba51500cba2fe760f61e5a3bee8ff2993ed5b5f4e844d2',1.65640012710355222225e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'e5dc21c7418d4c369bee50e8a2341367/p3/e1-l10-n5-s6',5,6,149,'636eb5c821ee921afca1793fb3adf30fe77fb7a3b1062aa59db81dd58fe0163e','a8e2cf64d5f4d0d71dfc134bf1c80dbe87740e97ce8e38acef18701867925949',8.80299921846017241477e-06,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'e5dc21c7418d4c369bee50e8a2341367/p5/e1-l11-n1-s5',1,5,149,'836e89ca8c347929a5d4e55898f6efa4271ead10535327dc8c0eaf247315e8ba','baf52bf43b40c23d50ac507d16d2af1a03cc4a7046113fb9d1aa493a698697f0',1.19569995149504393339e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'e5dc21c7418d4c369bee50e8a2341367/p5/e1-l11-n5-s6',5,6,149,'5db10a32cb2b62e95b90765520d57962ea85814006a4186442d84fc1a27b97d8','9b806778137175035b67b0f3b4ab694bbfe535c36a4cb07e0fac525757efdef3',9.06399873201735317707e-06,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'e5dc21c7418d4c369bee50e8a2341367/p4/e1-l12-n1-s5',1,5,149,'679b14012ce35b1635c47f3cb6de62596f47080533d006c4e445972444a97c0c','0735fe4163f7aa5e706eeb7c62f592aa607bdca5a78a6c2360bf87f2f6d4a67d',1.15069997264072299003e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'e5dc21c7418d4c369bee50e8a2341367/p4/e1-l12-n5-s6',5,6,149,'fc4f2558241bfda61764d009530002f837844c1c0b2c2f868fc5e1b840eadcd2','3137f7d9837d0f7499f7d7b991a881e04dd804082834032cdc7141716c2a8790',8.94300319487229e-06,7,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e1-l1-n1-s2',1,2,149,'3429f02cc3ab8a50e477b3409ddf8f55c7990bb760a98e83806b25bfc4ffb5c0','ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0',4.56080015283077955245e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e1-l1-n2-s6',2,6,149,'dcd49db1653830076be015b6305884e284230e1c583e1ba922157136629ec107','b9c59c55c1fe0d3b17d09723229a3d23d418e2ac950f050ea6f03d1fec0410c2',2.46259987761732190847e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e1-l2-n1-s2',1,2,149,'23fd29b74ce166943eb73c62b044b44bbe7fb2fe415f7e3243ad4c0c7243ae28','e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8',2.89329982479102909564e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e1-l2-n2-s6',2,6,149,'0fc4af6a64a57122f0c4969e7c7a139f52d372a8fb342eab6ee6e5fdc5006cf6','60daac999ac77fe06e6d1e1ac5d96bb03cd0f40959636f4a55bf2db0901e4358',1.67449979926459491252e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e1-l3-n3-s3',3,3,149,'22dd6ad774cedbf317fcca268e0591b0b1e34fbe575a009d43d38031239211b0','0fcb948aead3fda09fe443b148b569ae1ec390e158e87ccd5168e86b1f4015cb',1.62139986059628427028e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e1-l3-n4-s6',4,6,149,'373cd7fb374a043b8bf5f8b6a3901bedfaffa94ef84185f25951adca92aad1e8','d7bd2605606570415dd8629f1c080da1643e5fa9086e7ff71c446a4e2461cca8',1.20180011435877531766e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e1-l4-n3-s3',3,3,149,'e4d8295e4bbe9b25f46ea25f8a3b0c0092fd217a11905e558efd120b5b115c62','0fd2c7011dd20de0816990efd9cf1de67ec5fd116c6903cf827010ee904b7e08',1.79369999386835843324e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e1-l4-n4-s6',4,6,149,'943d0b1697a7d5ff32af9e4daa2197949c3826e551671c7955cac57ebee065ca','388a2c86da97c10344907323be57be5b491208f614d4bdfd4bbf443fb1806a31',1.04760001704562455415e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e1-l5-n5-s4',5,4,149,'13289fea411b673d42be36708db990441968ca788028e4ad94bb5b22e265e64d','a7db5c1729f4260b4c35968eb98e004c28281c79d4834942e92f50af1e9badfd',1.49420011439360678195e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e1-l5-n6-s6',6,6,149,'4ab79339845470baa83775547d11500f97fc55983c1742483ec076c7f0f307cd','c075d5dd50caba1ef5d6786cc6f0394f1b822a87110a5dd8397191b91290550c',9.61499972618185e-06,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e1-l6-n5-s4',5,4,149,'f6a33daed63637e582ab95f722589c1f0823c5296a2a00fc886ed7bc25c25aac','0d8fb9a8e721ceff92d8d70dfff789f30310b29f9cd6173ba34cf1f7adedf8a8',1.38409995997790247201e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e1-l6-n6-s6',6,6,149,'86c72b6a9646e279532bf8ce134305e85f52d13134e89fa358dd54c776a34c1a','42beacd6bbc9a7b03bab4e513a7f895cd82902e32b4499079782cfaa430f2722',1.04749997262842953205e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e1-l7-n7-s5',7,5,149,'bdcba31ef712033c0c67d464c53a617eddf456eaf5dff91f6c0650073ba0edf6','0680ec494bd71511e37dacf4b06249796c01c5589c76d051eacb524f0ad309a7',1.68149999808520078659e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e1-l7-n8-s6',8,6,149,'f395b3ef12f00ee877b9054eba18520af91c9c1419abc6597c90585defdea3c5','75e2559ebb8db4b0d3625153b373727731938ea5f49e247bdcce22fee9f244bf',1.28490028146188706159e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e1-l8-n7-s5',7,5,149,'a53b59f256258535de28a511306597d69e34623a0b5c59bac6ec41c3b1830859','f822aafecd7ad221a5060c2f1a15f4d4eefd514591ffb070c685bafd8656d57d',1.36810012918431311845e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e1-l8-n8-s6',8,6,149,'0b8fff1c83f51a9baead38da4ac6e381ef16112ae2adf8576797af7a32dfa483','183c3ef6e4615b644a7a2f0f588fbe0758900341be72435f1c898583e975a853',9.90500120678916573524e-06,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'e5dc21c7418d4c369bee50e8a2341367/p7/e2-l11-n13-s6',13,6,149,'4356688607b98e1e18bbf2c4b411b5a5acf3c5fd38e7e803d35c74e1fee45be7','746d4acf4ece4bf504504100b69802f82b04bf9abc8638107cccf0c5d46ad3d8',2.80519998341333121061e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'e5dc21c7418d4c369bee50e8a2341367/p6/e2-l14-n13-s6',13,6,149,'42f2244fb586dbbaebc4f9d0c6a06861cfe40384cb7a8ded43b277ef05626771','b16b8bdf9fa5b2066862ce627f84cbd910d2eeb67d1764ab276bdd5a408624dc',2.24830000661313533782e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(8,'e5dc21c7418d4c369bee50e8a2341367/p8/e1-l1-n1-s3',1,3,149,'8144b5b32f65bc9b0ec79d6bad4fe86949f5fbc78f69ef926f3746e3eba67c26','148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73',4.60390001535415649414e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(9,'e5dc21c7418d4c369bee50e8a2341367/p9/e1-l2-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',3.61940001312177628278e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'e5dc21c7418d4c369bee50e8a2341367/p2/e6-l33-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',4.60690025647636502981e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(10,'e5dc21c7418d4c369bee50e8a2341367/p10/e1-l1-n1-s3',1,3,149,'9b132eac82b0db8a9595128857f10e2356b9558523a4b537d163ce030803c1b8','2c89878e8b04ab0e5bc0e673e20cd8f5f44ef39bda139514feb6d56a1575121b',4.32239976362325251102e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(11,'e5dc21c7418d4c369bee50e8a2341367/p11/e1-l1-n1-s3',1,3,149,'8144b5b32f65bc9b0ec79d6bad4fe86949f5fbc78f69ef926f3746e3eba67c26','148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73',4.52679996669758111238e-05,14,'');
INSERT INTO "hippo_checkpoint" VALUES(12,'e5dc21c7418d4c369bee50e8a2341367/p12/e1-l4-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',4.62690004496835172176e-05,15,'');
CREATE TABLE hippo_database (
	uuid VARCHAR(32) NOT NULL, 
	schema_version BIGINT NOT NULL, 
	PRIMARY KEY (uuid)
);
INSERT INTO "hippo_database" VALUES('e5dc21c7418d4c369bee50e8a2341367',3);
CREATE TABLE hippo_failure (
	"plan" BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	method TEXT NOT NULL, 
	error TEXT NOT NULL, 
	traceback TEXT NOT NULL, 
	voided BOOLEAN NOT NULL, 
	PRIMARY KEY ("plan", number)
);
INSERT INTO "hippo_failure" VALUES(8,1,3,2,'train','ValueError: told to raise in train after 1 steps','Traceback (most recent call last):
  File "/hippo/src/hippo/training/walker.py", line 39, in user_code
    yield
  File "/hippo/src/hippo/training/walker.py", line 99, in train
    returned = self._trainer.train()
               ^^^^^^^^^^^^^^^^^^^^^
  File "/hippo/src/hippo/testing/trainers.py", line 75, in train
    self._maybe_raise("train")
  File "/hippo/src/hippo/testing/trainers.py", line 113, in _maybe_raise
    raise ValueError(f"told to raise in {method} after {self.steps} steps")
ValueError: told to raise in train after 1 steps
',0);
INSERT INTO "hippo_failure" VALUES(9,1,3,2,'train','ValueError: told to raise in train after 1 steps','Traceback (most recent call last):
  File "/hippo/src/hippo/training/walker.py", line 39, in user_code
    yield
  File "/hippo/src/hippo/training/walker.py", line 99, in train
    returned = self._trainer.train()
               ^^^^^^^^^^^^^^^^^^^^^
  File "/hippo/src/hippo/testing/trainers.py", line 75, in train
    self._maybe_raise("train")
  File "/hippo/src/hippo/testing/trainers.py", line 113, in _maybe_raise
    raise ValueError(f"told to raise in {method} after {self.steps} steps")
ValueError: told to raise in train after 1 steps
',0);
CREATE TABLE hippo_lease (
	"plan" BIGINT NOT NULL, 
	lease BIGINT NOT NULL, 
	epoch BIGINT NOT NULL, 
	slot TEXT NOT NULL, 
	spans TEXT NOT NULL, 
	started_at FLOAT NOT NULL, 
	ended TEXT NOT NULL, 
	PRIMARY KEY ("plan", lease)
);
INSERT INTO "hippo_lease" VALUES(1,1,1,'inline-1','[[1, 0, 2]]',1.79531696526129627223e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,2,1,'inline-1','[[2, 0, 2]]',1.79531696527305746082e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,3,1,'inline-1','[[3, 0, 2]]',1.79531696527437686916e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,4,1,'inline-1','[[1, 0, 2]]',1.79531696530569577214e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,5,1,'inline-1','[[2, 0, 2]]',1.79531696531709837908e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,6,1,'inline-1','[[3, 0, 2]]',1.79531696531800961493e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,4,5,'inline-1','[[4, 0, 2]]',1.79531696540307331077e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,5,5,'inline-1','[[5, 2, 4]]',1.795316965413643837e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,6,5,'inline-1','[[5, 4, 8]]',1.79531696541539382934e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,7,6,'inline-1','[[6, 0, 3]]',1.79531696542108082769e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,8,7,'inline-1','[[2, 0, 4]]',1.79531696542546820643e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,9,7,'inline-1','[[3, 0, 4]]',1.79531696542663955686e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,10,7,'inline-1','[[1, 2, 4]]',1.79531696542755842211e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,11,7,'inline-1','[[1, 0, 4]]',1.79531696542793512347e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,12,2,'inline-1','[[4, 0, 2]]',1.7953169654667663574e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,13,8,'inline-1','[[7, 0, 2]]',1.79531696547796273226e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,14,2,'inline-1','[[4, 2, 4]]',1.79531696548795914646e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,15,8,'inline-1','[[7, 2, 4]]',1.79531696548933291431e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,16,2,'inline-1','[[5, 0, 2]]',1.79531696549053144452e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,17,8,'inline-1','[[8, 0, 2]]',1.79531696549132514005e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,18,2,'inline-1','[[6, 0, 2]]',1.79531696549238014223e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,19,8,'inline-1','[[9, 0, 2]]',1.79531696549318408968e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,20,2,'inline-1','[[7, 0, 2]]',1.7953169654941089153e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,21,8,'inline-1','[[10, 0, 2]]',1.79531696549487209324e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,22,2,'inline-1','[[7, 2, 4]]',1.79531696549572086329e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,23,8,'inline-1','[[10, 2, 4]]',1.79531696549643659589e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,24,2,'inline-1','[[8, 0, 2]]',1.79531696549736022945e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,25,8,'inline-1','[[11, 0, 2]]',1.79531696549808502194e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,26,2,'inline-1','[[3, 0, 4]]',1.79531696549972534177e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,27,3,'inline-1','[[9, 0, 2]]',1.79531696550821971898e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,28,3,'inline-1','[[10, 2, 4]]',1.79531696550945210457e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,29,3,'inline-1','[[10, 4, 8]]',1.79531696551032090192e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,30,4,'inline-1','[[11, 0, 3]]',1.7953169655154283047e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,1,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79531696555882334703e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,2,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79531696557192897798e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,3,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.7953169655833091736e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,4,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79531696559541058535e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,5,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79531696559672093388e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,6,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79531696559788751603e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,7,1,'inline-1','[[1, 3, 4], [4, 4, 6]]',1.79531696559960031508e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,8,1,'inline-1','[[1, 3, 4], [4, 4, 6]]',1.79531696560055255892e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,9,1,'inline-1','[[1, 3, 4], [4, 4, 6]]',1.79531696560161232946e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,10,1,'inline-1','[[1, 4, 5], [5, 5, 6]]',1.79531696560290718071e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,11,1,'inline-1','[[1, 4, 5], [5, 5, 6]]',1.79531696560381293301e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,12,1,'inline-1','[[1, 4, 5], [5, 5, 6]]',1795316965.60467,'done');
INSERT INTO "hippo_lease" VALUES(3,13,2,'inline-1','[[6, 0, 4]]',1.79531696561390137672e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,14,2,'inline-1','[[7, 0, 4]]',1.79531696561506938936e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,15,2,'inline-1','[[8, 0, 4]]',1.7953169656161117553e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,16,2,'inline-1','[[6, 0, 4]]',1.79531696561700844765e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,17,2,'inline-1','[[7, 0, 4]]',1.7953169656178469658e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,18,2,'inline-1','[[8, 0, 4]]',1.7953169656186752319e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,19,2,'inline-1','[[6, 0, 4]]',1.79531696561952877049e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,20,2,'inline-1','[[7, 0, 4]]',1.79531696562047982223e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,21,2,'inline-1','[[8, 0, 4]]',1.79531696562135243419e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,1,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79531696566154861443e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,2,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79531696567484617228e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,3,1,'inline-1','[[3, 0, 3], [4, 3, 6]]',1.79531696568707513804e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,4,1,'inline-1','[[3, 0, 3], [4, 3, 6]]',1.79531696568839454651e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,5,1,'inline-1','[[5, 0, 4], [6, 4, 6]]',1.79531696568994140628e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,6,1,'inline-1','[[5, 0, 4], [6, 4, 6]]',1.79531696569124102598e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,7,1,'inline-1','[[7, 0, 5], [8, 5, 6]]',1.79531696569282102587e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,8,1,'inline-1','[[7, 0, 5], [8, 5, 6]]',1.79531696569403290747e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,9,2,'inline-1','[[9, 0, 2], [10, 2, 6]]',1795316965.70278,'done');
INSERT INTO "hippo_lease" VALUES(7,10,2,'inline-1','[[11, 0, 4], [12, 4, 6]]',1.79531696570427727697e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,11,2,'inline-1','[[13, 0, 6]]',1.79531696570636129374e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,12,2,'inline-1','[[9, 0, 2], [10, 2, 6]]',1.79531696570746517179e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,13,2,'inline-1','[[11, 0, 4], [12, 4, 6]]',1.79531696570851659775e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,14,2,'inline-1','[[13, 0, 6]]',1.79531696570955467224e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,1,1,'inline-1','[[1, 0, 3]]',1.79531696574900627135e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,2,1,'inline-1','[[1, 0, 3]]',1.79531696576107239722e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,3,1,'inline-1','[[2, 0, 3]]',1.79531696577271866798e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,4,1,'inline-1','[[3, 0, 3]]',1.79531696577364659316e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,5,1,'inline-1','[[2, 0, 3]]',1.79531696577483820915e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,6,1,'inline-1','[[3, 0, 3]]',1.7953169657757594586e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,31,6,'inline-1','[[2, 0, 3]]',1.79531696594594669343e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,32,6,'inline-1','[[1, 2, 3]]',1.79531696595757317546e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,33,6,'inline-1','[[1, 0, 3]]',1.7953169659580376148e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,1,1,'inline-1','[[1, 0, 3]]',1.79531696599539327624e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,2,1,'inline-1','[[2, 0, 3]]',1.79531696600780630115e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,3,1,'inline-1','[[3, 0, 3]]',1.79531696600902223584e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,1,1,'inline-1','[[1, 0, 3]]',1.79531696604864835732e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,2,1,'inline-1','[[2, 0, 3]]',1.79531696606133890151e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,3,1,'inline-1','[[3, 0, 3]]',1.79531696606228423113e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,4,1,'inline-1','[[1, 0, 3]]',1.79531696610332012174e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,5,1,'inline-1','[[2, 0, 3]]',1795316966.11552,'done');
INSERT INTO "hippo_lease" VALUES(12,6,1,'inline-1','[[3, 0, 3]]',1.79531696611678218836e+09,'done');
CREATE TABLE hippo_metrics (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	metrics TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	study BIGINT NOT NULL, 
	PRIMARY KEY ("plan", node, step)
);
INSERT INTO "hippo_metrics" VALUES(1,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.48720027937088161706e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',1.26090017147362232208e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',1.15779985208064317703e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',1.00249999377410858869e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',1.14970025606453418731e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,3,2,'{"loss": 1.3059238627827707, "luck": 0.8990734568859705}',1.23880017781630158424e-05,1);
INSERT INTO "hippo_metrics" VALUES(2,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',1.26790000649634748697e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',9.96400194708257913589e-06,2);
INSERT INTO "hippo_metrics" VALUES(2,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',1.08259991975501179695e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',9.2640002549160271883e-06,2);
INSERT INTO "hippo_metrics" VALUES(2,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',1.02659978438168764114e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,3,2,'{"loss": 0.5482365060163169, "luck": 0.39900061541324894}',9.96499875327572226524e-06,2);
INSERT INTO "hippo_metrics" VALUES(1,4,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.34299989440478384494e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,4,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',9.6849980764091014862e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,5,3,'{"loss": 0.7181172581813783, "luck": 0.5606985584456248}',1.00049983302596956491e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,4,'{"loss": 0.6857764130519207, "luck": 0.7656478768603969}',9.16399949346669e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,5,5,'{"loss": 0.6409016285686151, "luck": 0.9862810444956115}',1.02659978438168764114e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,6,'{"loss": 0.6079893596789652, "luck": 0.4317209810926973}',9.11299866857007145881e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,5,7,'{"loss": 0.5730013892842124, "luck": 0.20418096828415755}',8.75300247571431100368e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,5,8,'{"loss": 0.5366799172116318, "luck": 0.9023155911110003}',8.43300222186371684074e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,6,1,'{"loss": 1.8609035862607755, "luck": 0.7351928141853318}',1.19780015666037797927e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,6,2,'{"loss": 1.0107668617036614, "luck": 0.8990734568859705}',9.40400059334933757781e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,6,3,'{"loss": 0.5366396691549596, "luck": 0.5606985584456248}',8.9230015873909e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',1.20980002975557e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,2,4,'{"loss": 1.3950226972208526, "luck": 0.7656478768603969}',1.00450015452224761247e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,3,3,'{"loss": 0.8045146250303803, "luck": 0.5606985584456248}',8.60300133354030549526e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,3,4,'{"loss": 0.5750387859247998, "luck": 0.7656478768603969}',8.77300044521689414978e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',8.6420004663523286581e-06,5);
INSERT INTO "hippo_metrics" VALUES(1,1,4,'{"loss": 0.2232132936782808, "luck": 0.7656478768603969}',8.64300091052427887916e-06,5);
INSERT INTO "hippo_metrics" VALUES(2,4,1,'{"loss": 0.04801916044940552, "luck": 0.2919745267583853}',1.26990016724448651075e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,2,'{"loss": 0.047361923738329564, "luck": 0.39900061541324894}',9.59499811870046e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,7,1,'{"loss": 0.21340797938632122, "luck": 0.7351928141853318}',1.92789993889164179563e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,2,'{"loss": 0.013573150172535815, "luck": 0.8990734568859705}',1.00450015452224761247e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,3,'{"loss": 0.034040960109071594, "luck": 0.4167216444296241}',9.14299744181335e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,4,4,'{"loss": 0.014770962677400395, "luck": 0.09989884338800914}',8.54300014907494187355e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,7,3,'{"loss": 0.012333469083678848, "luck": 0.5606985584456248}',9.65399885899387300014e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,7,4,'{"loss": 0.029729467150952604, "luck": 0.7656478768603969}',9.19400190468877553939e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,5,1,'{"loss": 0.09979296485940324, "luck": 0.2919745267583853}',9.51400215853937e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,5,2,'{"loss": 0.05847795416301017, "luck": 0.39900061541324894}',8.9530003606341779232e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,8,1,'{"loss": 0.39078486906938203, "luck": 0.7351928141853318}',9.64399805525317788124e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,8,2,'{"loss": 0.028373180053272055, "luck": 0.8990734568859705}',9.56399890128523111343e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,6,1,'{"loss": 0.17969822691367301, "luck": 0.2919745267583853}',9.69400207395665347576e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,6,2,'{"loss": 0.08363833989449458, "luck": 0.39900061541324894}',9.05400156625546514987e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,9,1,'{"loss": 0.6224585436912402, "luck": 0.7351928141853318}',9.91499837255105376243e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,9,2,'{"loss": 0.08114599599028936, "luck": 0.8990734568859705}',9.11399911274202167987e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,7,1,'{"loss": 0.28773494661221505, "luck": 0.2919745267583853}',1.08559979707933962345e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,2,'{"loss": 0.13148690325119072, "luck": 0.39900061541324894}',8.9829991338774561882e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,10,1,'{"loss": 0.9084290032518965, "luck": 0.7351928141853318}',9.77500167209655e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,10,2,'{"loss": 0.19870282446317625, "luck": 0.8990734568859705}',9.18300065677613e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,7,3,'{"loss": 0.07132726937035358, "luck": 0.4167216444296241}',9.91500201052986085414e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,7,4,'{"loss": 0.025298053810090083, "luck": 0.09989884338800914}',8.97399877430871129035e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,10,3,'{"loss": 0.03486108159497854, "luck": 0.5606985584456248}',9.40400059334933757781e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,10,4,'{"loss": 0.03758099366231165, "luck": 0.7656478768603969}',9.03399995877407491207e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,8,1,'{"loss": 0.42390312395502894, "luck": 0.2919745267583853}',9.55399809754453599452e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,8,2,'{"loss": 0.21404324146881892, "luck": 0.39900061541324894}',8.93400283530354499816e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,11,1,'{"loss": 1.24869624775135, "luck": 0.7351928141853318}',1.32700006361119449138e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,11,2,'{"loss": 0.4143705061441762, "luck": 0.8990734568859705}',1.01859986898489296436e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,3,3,'{"loss": 0.39096937177195373, "luck": 0.4167216444296241}',9.11399911274202167987e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,3,4,'{"loss": 0.2576308188545118, "luck": 0.09989884338800914}',9.43399936659261584281e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,9,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',1.20680015243124216794e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,9,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',9.65399885899387300014e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,10,3,'{"loss": 0.3318879784610863, "luck": 0.4167216444296241}',1.11070003185886889696e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,4,'{"loss": 0.3131866681610792, "luck": 0.09989884338800914}',9.11300230654887855052e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,10,5,'{"loss": 0.2881633520944912, "luck": 0.3176475465581071}',1.05260005511809140443e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,6,'{"loss": 0.273178385410801, "luck": 0.6622026177734481}',9.15399868972599506378e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,10,7,'{"loss": 0.2617358425805778, "luck": 0.8413715553295904}',8.9330023911315947771e-06,6);
INSERT INTO "hippo_metrics" VALUES(2,10,8,'{"loss": 0.2499827100106507, "luck": 0.9038439222916061}',3.58329998562112450599e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,1,'{"loss": 0.6809018730522601, "luck": 0.2919745267583853}',1.32099994516465812921e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,2,'{"loss": 0.43755526669822176, "luck": 0.39900061541324894}',1.0074996680486947298e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,3,'{"loss": 0.28893552122224675, "luck": 0.4167216444296241}',9.2440022854134440422e-06,6);
INSERT INTO "hippo_metrics" VALUES(3,1,1,'{"loss": 1.023281603178972, "luck": 0.9867643697774076}',1.23690006148535758256e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,2,'{"loss": 0.4602207998765308, "luck": 0.5376377842125818}',9.17299985303543508052e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,2,3,'{"loss": 0.33177223889750096, "luck": 0.7108321066755476}',9.96500239125453e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,2,4,'{"loss": 0.25460404885659077, "luck": 0.4787101630369117}',9.35399657464586198329e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,2,5,'{"loss": 0.18677338222932205, "luck": 0.9374898015314165}',9.28399822441861e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,2,6,'{"loss": 0.1336900557880476, "luck": 0.6526788969390104}',8.9530003606341779232e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,1,1,'{"loss": 1.970967072357297, "luck": 0.3724018416480026}',1.10060027509462088346e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,2,'{"loss": 0.9534386778039253, "luck": 0.663277436170201}',9.16399949346669e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,2,3,'{"loss": 0.6964286091016071, "luck": 0.0460468867524525}',9.7740012279246e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,2,4,'{"loss": 0.5001916637489414, "luck": 0.7934255168815922}',9.02299871086143e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,2,5,'{"loss": 0.37371300278589503, "luck": 0.699707046997647}',8.97399877430871129035e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,2,6,'{"loss": 0.2661893595714792, "luck": 0.9751249376099272}',8.81300002220086753368e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,1,1,'{"loss": 0.9240582253964627, "luck": 0.04126642983852735}',1.04960017779376357793e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,2,'{"loss": 0.4523393602113332, "luck": 0.27567533336338146}',9.04300031834282e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,2,3,'{"loss": 0.33625159218410816, "luck": 0.9730137035323765}',9.73499845713377e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,2,4,'{"loss": 0.25798940470739584, "luck": 0.4796653075815468}',9.07399953575804829597e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,2,5,'{"loss": 0.2039368760905871, "luck": 0.7275552730002094}',8.85299959918484091758e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,2,6,'{"loss": 0.1638119756654711, "luck": 0.07836672761871077}',8.50299693411216139793e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,1,3,'{"loss": 0.22549578895205535, "luck": 0.7108321066755476}',1.0294999810867011547e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,3,4,'{"loss": 0.17451814684159075, "luck": 0.4787101630369117}',9.69399843597784638404e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,3,5,'{"loss": 0.12886224980897057, "luck": 0.9374898015314165}',9.25299900700338184833e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,3,6,'{"loss": 0.0938679365487936, "luck": 0.6526788969390104}',8.91400122782215476036e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,1,3,'{"loss": 0.2373882363174858, "luck": 0.9730137035323765}',1.00450015452224761247e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,3,4,'{"loss": 0.18417803445836445, "luck": 0.4796653075815468}',9.48399974731728434562e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,3,5,'{"loss": 0.14815408764376153, "luck": 0.7275552730002094}',8.76299964147619903087e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,3,6,'{"loss": 0.12109411842729488, "luck": 0.07836672761871077}',8.81300002220086753368e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,1,3,'{"loss": 0.481072495635177, "luck": 0.0460468867524525}',1.56030000653117895126e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,3,4,'{"loss": 0.34575426828276773, "luck": 0.7934255168815922}',9.90399712463840842247e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,3,5,'{"loss": 0.2599915364889922, "luck": 0.699707046997647}',9.12399991648271679878e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,3,6,'{"loss": 0.18429860717850993, "luck": 0.9751249376099272}',9.062998287845402956e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,1,4,'{"loss": 0.13075750219245938, "luck": 0.4787101630369117}',9.87499879556708e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,4,5,'{"loss": 0.0964833399317409, "luck": 0.9374898015314165}',9.37400182010606e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,4,6,'{"loss": 0.0700027185796051, "luck": 0.6526788969390104}',8.82399763213470578193e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,1,4,'{"loss": 0.13876419064237355, "luck": 0.4796653075815468}',9.80499680736102163791e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,4,5,'{"loss": 0.11385252840454314, "luck": 0.7275552730002094}',1.04950013337656855583e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,4,6,'{"loss": 0.09458269422305716, "luck": 0.07836672761871077}',9.18300065677613e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,1,4,'{"loss": 0.2335847524896895, "luck": 0.7934255168815922}',9.83400241238996386528e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,4,5,'{"loss": 0.1765815256475426, "luck": 0.699707046997647}',9.2740010586567223072e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,4,6,'{"loss": 0.1249710608512457, "luck": 0.9751249376099272}',8.91300078365020453929e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,1,5,'{"loss": 0.06776995002509556, "luck": 0.9374898015314165}',9.73499845713377e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,5,6,'{"loss": 0.05089881767741228, "luck": 0.6526788969390104}',9.57500014919787645339e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,1,5,'{"loss": 0.0923220865508822, "luck": 0.7275552730002094}',9.78499883785843849182e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,5,6,'{"loss": 0.07760726211376752, "luck": 0.07836672761871077}',9.70399923971854150295e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,1,5,'{"loss": 0.12855514028458553, "luck": 0.699707046997647}',9.67400046647526323795e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,5,6,'{"loss": 0.08986434983354824, "luck": 0.9751249376099272}',9.2340014816727489233e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,6,1,'{"loss": 1.023281603178972, "luck": 0.9867643697774076}',1.18170028144959360361e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,2,'{"loss": 0.4602207998765306, "luck": 0.5376377842125818}',1.37410024763084948062e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,3,'{"loss": 0.22549578895205522, "luck": 0.7108321066755476}',9.2640002549160271883e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,6,4,'{"loss": 0.1307575021924593, "luck": 0.4787101630369117}',8.95400080480612814426e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,7,1,'{"loss": 1.7747010785817487, "luck": 0.9867643697774076}',9.88399915513582527637e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,7,2,'{"loss": 1.412044654388934, "luck": 0.5376377842125818}',9.04400076251477e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,7,3,'{"loss": 1.1398894539766977, "luck": 0.7108321066755476}',8.64300091052427887916e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,7,4,'{"loss": 0.9445047981903137, "luck": 0.4787101630369117}',8.46200055093504488468e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,8,1,'{"loss": 1.3730141019042925, "luck": 0.9867643697774076}',1.0235002264380455017e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,2,'{"loss": 0.8402962959741641, "luck": 0.5376377842125818}',8.90400042408146e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,8,3,'{"loss": 0.5344486289687017, "luck": 0.7108321066755476}',8.47200135467574e-06,7);
INSERT INTO "hippo_metrics" VALUES(3,8,4,'{"loss": 0.36705273833910573, "luck": 0.4787101630369117}',8.64300091052427887916e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,6,1,'{"loss": 0.9240582253964627, "luck": 0.04126642983852735}',9.51399852056056261062e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,6,2,'{"loss": 0.4523393602113331, "luck": 0.27567533336338146}',8.9829991338774561882e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,6,3,'{"loss": 0.23738823631748568, "luck": 0.9730137035323765}',1.18680000014137476682e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,4,'{"loss": 0.13876419064237347, "luck": 0.4796653075815468}',8.68300048750825226306e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,7,1,'{"loss": 1.4351092912102374, "luck": 0.04126642983852735}',9.71400004345923662185e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,7,2,'{"loss": 1.1624924511065793, "luck": 0.27567533336338146}',8.89299917616881430149e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,7,3,'{"loss": 0.952202448537066, "luck": 0.9730137035323765}',8.70299845701083540916e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,7,4,'{"loss": 0.7883275483467338, "luck": 0.4796653075815468}',8.64300091052427887916e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,8,1,'{"loss": 1.165169131106709, "luck": 0.04126642983852735}',9.91400156635791e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,8,2,'{"loss": 0.7455123476213816, "luck": 0.27567533336338146}',9.27399742067791521549e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,8,3,'{"loss": 0.4923226384257423, "luck": 0.9730137035323765}',9.0129979071207344532e-06,7);
INSERT INTO "hippo_metrics" VALUES(5,8,4,'{"loss": 0.33774432189800113, "luck": 0.4796653075815468}',8.75299883773550391197e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,6,1,'{"loss": 1.970967072357297, "luck": 0.3724018416480026}',9.55400173552334308624e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,6,2,'{"loss": 0.9534386778039252, "luck": 0.663277436170201}',9.09300069906748831272e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,6,3,'{"loss": 0.48107249563517696, "luck": 0.0460468867524525}',9.032999514602124691e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,6,4,'{"loss": 0.2335847524896894, "luck": 0.7934255168815922}',8.9929999376181513071e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,7,1,'{"loss": 3.2544760285498917, "luck": 0.3724018416480026}',9.62400008575059473514e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,7,2,'{"loss": 2.6287578931759326, "luck": 0.663277436170201}',8.88300201040692627429e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,7,3,'{"loss": 2.1391921291570637, "luck": 0.0460468867524525}',3.64740008080843836069e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,4,'{"loss": 1.7288641460709981, "luck": 0.7934255168815922}',9.22400067793205380439e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,8,1,'{"loss": 2.572582343877809, "luck": 0.3724018416480026}',9.89399995887652e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,8,2,'{"loss": 1.6351811603813753, "luck": 0.663277436170201}',8.97300196811556816101e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,8,3,'{"loss": 1.0602553693461516, "luck": 0.0460468867524525}',8.86399720911868e-06,7);
INSERT INTO "hippo_metrics" VALUES(4,8,4,'{"loss": 0.674444448271187, "luck": 0.7934255168815922}',9.04400076251477e-06,7);
INSERT INTO "hippo_metrics" VALUES(6,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.47920000017620623111e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,1,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',9.43499981076456606388e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,2,3,'{"loss": 0.535595674314262, "luck": 0.5606985584456248}',1.02150006568990647792e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,4,'{"loss": 0.4258531585217873, "luck": 0.7656478768603969}',9.33299816097132861614e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,2,5,'{"loss": 0.2928514680411841, "luck": 0.9862810444956115}',8.86300040292553603649e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,2,6,'{"loss": 0.22666719927778464, "luck": 0.4317209810926973}',8.89299917616881430149e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,1,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',1.58840011863503605127e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,1,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',9.3140006356406956911e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,2,3,'{"loss": 0.27598012407333633, "luck": 0.4167216444296241}',9.62400008575059473514e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,2,4,'{"loss": 0.20352388412440353, "luck": 0.09989884338800914}',8.91299714567139744758e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,2,5,'{"loss": 0.12565753468482305, "luck": 0.3176475465581071}',8.49299976835027337074e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,2,6,'{"loss": 0.09649009456726415, "luck": 0.6622026177734481}',1.24690013763029128313e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,3,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.0365998605266213417e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,3,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',8.9530003606341779232e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,3,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',8.54199970490299165248e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,4,4,'{"loss": 0.2805570345611536, "luck": 0.7656478768603969}',9.49400055105798e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,4,5,'{"loss": 0.19072433249165222, "luck": 0.9862810444956115}',9.5950017566792666912e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,4,6,'{"loss": 0.14994423105194774, "luck": 0.4317209810926973}',8.58299972605891525745e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,3,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',9.96499875327572226524e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,3,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',9.22400067793205380439e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,3,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.26989980344660580158e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,4,4,'{"loss": 0.1582208837218928, "luck": 0.09989884338800914}',9.3039998319e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,4,5,'{"loss": 0.09608929028021532, "luck": 0.3176475465581071}',9.05399792827665805816e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,4,6,'{"loss": 0.07425652405159612, "luck": 0.6622026177734481}',8.59300052979961e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,5,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',9.73499845713377e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,5,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',8.82300082594156265258e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,5,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.37409988383296877145e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',8.9330023911315947771e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,6,5,'{"loss": 0.15046631379886832, "luck": 0.9862810444956115}',9.3140006356406956911e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,6,6,'{"loss": 0.11964755655114248, "luck": 0.4317209810926973}',8.76299964147619903087e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,5,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',9.66399966273456811904e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,5,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',8.90299997990951e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,5,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',8.51199729368090629577e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,5,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',8.71299926075153e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,6,5,'{"loss": 0.06592576920431341, "luck": 0.3176475465581071}',1.04259997897315770387e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,6,6,'{"loss": 0.05161889400892079, "luck": 0.6622026177734481}',8.91300078365020453929e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,7,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',9.70499968389049172401e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,7,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',8.85299959918484091758e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,7,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',8.69300129124894738197e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,7,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',8.83300162968225777149e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,7,5,'{"loss": 0.09234756894755321, "luck": 0.9862810444956115}',8.24200105853378772735e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,8,6,'{"loss": 0.07550860568715494, "luck": 0.4317209810926973}',1.93290034076198935508e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',1.04249993455596268177e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',8.98399957804940640926e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,7,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',9.08299989532679319381e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,7,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',8.82299718796275556087e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,7,5,'{"loss": 0.03370790002564021, "luck": 0.3176475465581071}',8.65300171426497399806e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,8,6,'{"loss": 0.026666844902599608, "luck": 0.6622026177734481}',9.08299989532679319381e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,9,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',1.18269999802578240633e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,9,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',9.34400304686278104782e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,10,3,'{"loss": 0.3318879784610863, "luck": 0.4167216444296241}',8.88299837242812e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,10,4,'{"loss": 0.3131866681610792, "luck": 0.09989884338800914}',8.55300095281563699245e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,10,5,'{"loss": 0.2881633520944912, "luck": 0.3176475465581071}',8.54300014907494187355e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,10,6,'{"loss": 0.273178385410801, "luck": 0.6622026177734481}',9.11400275072082877159e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,11,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',1.02849990071263164281e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',9.09400114323943853378e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,11,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',8.613002137281e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,11,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',8.62299930304288864135e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,12,5,'{"loss": 0.10168172210304977, "luck": 0.3176475465581071}',1.16869996418245136737e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,12,6,'{"loss": 0.09685617336715144, "luck": 0.6622026177734481}',8.94299955689348280429e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,13,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',9.78499883785843849182e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,13,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',8.96400160854682326316e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,13,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',8.56300175655633211135e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,13,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',8.58299972605891525745e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,13,5,'{"loss": 0.03370790002564021, "luck": 0.3176475465581071}',8.83399843587540090084e-06,8);
INSERT INTO "hippo_metrics" VALUES(7,13,6,'{"loss": 0.020726611989759634, "luck": 0.6622026177734481}',8.58299972605891525745e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,9,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.04660030046943575143e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,9,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',8.85400004335679113864e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,10,3,'{"loss": 0.7181172581813783, "luck": 0.5606985584456248}',9.23399784369394183158e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,10,4,'{"loss": 0.6857764130519207, "luck": 0.7656478768603969}',8.61299849930219352245e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,10,5,'{"loss": 0.6409016285686151, "luck": 0.9862810444956115}',8.81300002220086753368e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,10,6,'{"loss": 0.6079893596789652, "luck": 0.4317209810926973}',8.73300086823292e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,11,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',9.80400000116787850856e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,11,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',8.78299761097878217697e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,11,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',8.66299888002686202526e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,11,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',8.71299926075153e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,12,5,'{"loss": 0.20749363890015063, "luck": 0.9862810444956115}',8.50300057209096848964e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,12,6,'{"loss": 0.19805754120332325, "luck": 0.4317209810926973}',8.69300129124894738197e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,13,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',9.83499921858310699462e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,13,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',8.9230015873909e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,13,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',8.85299959918484091758e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,13,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',8.76400008564815e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,13,5,'{"loss": 0.09234756894755321, "luck": 0.9862810444956115}',8.613002137281e-06,8);
INSERT INTO "hippo_metrics" VALUES(6,13,6,'{"loss": 0.06049071795497772, "luck": 0.4317209810926973}',8.9330023911315947771e-06,8);
INSERT INTO "hippo_metrics" VALUES(8,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.22780002129729837179e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',9.10400194698013365268e-06,9);
INSERT INTO "hippo_metrics" VALUES(8,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',9.15399868972599506378e-06,9);
INSERT INTO "hippo_metrics" VALUES(9,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',1.24479993246495723724e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',1.07359992398414760828e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',9.10300150280818343162e-06,9);
INSERT INTO "hippo_metrics" VALUES(8,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',1.06059997051488608121e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',9.16299904929474e-06,9);
INSERT INTO "hippo_metrics" VALUES(8,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',8.71299926075153e-06,9);
INSERT INTO "hippo_metrics" VALUES(8,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',9.86400118563324213027e-06,9);
INSERT INTO "hippo_metrics" VALUES(9,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',1.11160006781574338674e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',9.65400249697268e-06,9);
INSERT INTO "hippo_metrics" VALUES(9,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',8.77300044521689414978e-06,9);
INSERT INTO "hippo_metrics" VALUES(9,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',2.0670999219873920083e-05,9);
INSERT INTO "hippo_metrics" VALUES(2,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',9.60400211624801158905e-06,12);
INSERT INTO "hippo_metrics" VALUES(2,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',8.86300040292553603649e-06,12);
INSERT INTO "hippo_metrics" VALUES(10,1,1,'{"loss": 1.4120057871362517, "luck": 0.25399716101146985}',1.21980010590050369501e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,1,2,'{"loss": 0.6983429730211995, "luck": 0.7555491510543797}',9.11399911274202167987e-06,13);
INSERT INTO "hippo_metrics" VALUES(10,1,3,'{"loss": 0.35382737131322267, "luck": 0.9581091069570088}',9.3140006356406956911e-06,13);
INSERT INTO "hippo_metrics" VALUES(10,2,1,'{"loss": 2.291546304697009, "luck": 0.25399716101146985}',1.09559987322427332401e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,2,2,'{"loss": 1.8572751132834882, "luck": 0.7555491510543797}',9.38399898586794734001e-06,13);
INSERT INTO "hippo_metrics" VALUES(10,2,3,'{"loss": 1.5143039172892543, "luck": 0.9581091069570088}',8.78299761097878217697e-06,13);
INSERT INTO "hippo_metrics" VALUES(10,3,1,'{"loss": 1.8245728224913753, "luck": 0.25399716101146985}',1.0335999832022935152e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,3,2,'{"loss": 1.1710342522501354, "luck": 0.7555491510543797}',9.10300150280818343162e-06,13);
INSERT INTO "hippo_metrics" VALUES(10,3,3,'{"loss": 0.7622305003625882, "luck": 0.9581091069570088}',8.86300040292553603649e-06,13);
INSERT INTO "hippo_metrics" VALUES(11,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.23280005936976522207e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',9.38399898586794734001e-06,14);
INSERT INTO "hippo_metrics" VALUES(11,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',1.0014999134000390768e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',1.04160026239696890115e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',8.88300201040692627429e-06,14);
INSERT INTO "hippo_metrics" VALUES(11,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',9.08400033949874341487e-06,14);
INSERT INTO "hippo_metrics" VALUES(11,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',1.03159982245415449142e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,3,2,'{"loss": 1.3059238627827707, "luck": 0.8990734568859705}',9.16400313144549727439e-06,14);
INSERT INTO "hippo_metrics" VALUES(11,3,3,'{"loss": 0.8045146250303803, "luck": 0.5606985584456248}',8.69299765327014e-06,14);
INSERT INTO "hippo_metrics" VALUES(12,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',1.29090003611054271459e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',9.72500129137188196182e-06,15);
INSERT INTO "hippo_metrics" VALUES(12,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',9.44500061450526118278e-06,15);
INSERT INTO "hippo_metrics" VALUES(12,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',1.08370004454627633094e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',8.90299997990951e-06,15);
INSERT INTO "hippo_metrics" VALUES(12,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',8.9829991338774561882e-06,15);
INSERT INTO "hippo_metrics" VALUES(12,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',1.00949982879683375358e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,3,2,'{"loss": 0.5482365060163169, "luck": 0.39900061541324894}',9.01300154509954154491e-06,15);
INSERT INTO "hippo_metrics" VALUES(12,3,3,'{"loss": 0.39096937177195373, "luck": 0.4167216444296241}',8.63300010678358376026e-06,15);
CREATE TABLE hippo_node (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	parent BIGINT, 
	start BIGINT NOT NULL, 
	pieces TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	inexact BOOLEAN NOT NULL, 
	PRIMARY KEY ("plan", node)
);
INSERT INTO "hippo_node" VALUES(1,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,4,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,5,4,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.25], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.8], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,4,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.8], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.7000000000000001], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.7000000000000001], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.6000000000000001], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.6000000000000001], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,10,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.5], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.5], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.4], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.4], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.25], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/0',0);
INSERT INTO "hippo_node" VALUES(6,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/0',0);
INSERT INTO "hippo_node" VALUES(7,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/1',0);
INSERT INTO "hippo_node" VALUES(6,4,3,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/1',0);
INSERT INTO "hippo_node" VALUES(7,4,3,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/2',0);
INSERT INTO "hippo_node" VALUES(6,6,5,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/2',0);
INSERT INTO "hippo_node" VALUES(7,6,5,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/3',0);
INSERT INTO "hippo_node" VALUES(6,8,7,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/3',0);
INSERT INTO "hippo_node" VALUES(7,8,7,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/4',0);
INSERT INTO "hippo_node" VALUES(6,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/5',0);
INSERT INTO "hippo_node" VALUES(6,12,11,4,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,13,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/6',0);
INSERT INTO "hippo_node" VALUES(7,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/4',0);
INSERT INTO "hippo_node" VALUES(7,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/5',0);
INSERT INTO "hippo_node" VALUES(7,12,11,4,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,13,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/6',0);
INSERT INTO "hippo_node" VALUES(8,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(8,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(8,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(9,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(9,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(9,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(10,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(10,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(10,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(11,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(11,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(11,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(12,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(12,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(12,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
CREATE TABLE hippo_plan (
	"plan" BIGINT NOT NULL, 
	workload TEXT NOT NULL, 
	declared TEXT NOT NULL, 
	fork BIGINT NOT NULL, 
	environment TEXT NOT NULL, 
	exactness TEXT NOT NULL, 
	epoch BIGINT NOT NULL, 
	writer TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	PRIMARY KEY ("plan")
);
INSERT INTO "hippo_plan" VALUES(1,'a9a031d399da2d663ca45e58a803a53d1cd89c168a65587bd19e37e544d8b706','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',12,'somebody',1.79531696524394798275e+09);
INSERT INTO "hippo_plan" VALUES(2,'eeaea41b713919954641d1174b972e128ed310241e7de4c260c79480b6b37a7f','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',6,'somebody',1.79531696529160451894e+09);
INSERT INTO "hippo_plan" VALUES(3,'097ad3ddb8e5902c940b83dd39f7b6935d5354bf1e4ff52d805664c8ccd0a3ae','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 10, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79531696554037737845e+09);
INSERT INTO "hippo_plan" VALUES(4,'9188e6730ba588634b7af8579fc562edac19a740fc65e54b732af55eced8083b','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 9, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79531696554175758361e+09);
INSERT INTO "hippo_plan" VALUES(5,'fbe8687c19d1f1fda72c640c46638e7ab490450be963a441cf4d766c898aaf76','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 2, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79531696554228949549e+09);
INSERT INTO "hippo_plan" VALUES(6,'587a910fdbef303ee0c43fe4769ae59c99e4b80a7b941b517d2b3e86d0bbfb79','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": "private (seed 0)", "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79531696564668297763e+09);
INSERT INTO "hippo_plan" VALUES(7,'a5578882a8f33d0c0082421f2e6cad3c3cbac43aff5080e8a09a4d3171d70008','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": "private (seed 1)", "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79531696564799594876e+09);
INSERT INTO "hippo_plan" VALUES(8,'57fd48ef2a95e184280d32eb74083e86fa09970ba198e57db08b0d66b4ad6aed','{"arguments": "{\"raise_at\":1,\"raise_if\":{\"lr\":0.2},\"raise_in\":\"train\"}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79531696573388433457e+09);
INSERT INTO "hippo_plan" VALUES(9,'ec65d00b46cc445f46365217b558b190cf3644406041e4ef620ccd3d48276e91','{"arguments": "{\"raise_at\":1,\"raise_if\":{\"lr\":0.2},\"raise_in\":\"train\"}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79531696573525595666e+09);
INSERT INTO "hippo_plan" VALUES(10,'6936fecdee1ab09fb99785aa144ad31c79aedeb2a89bca41764799a4733064f4','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 5, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79531696598309087756e+09);
INSERT INTO "hippo_plan" VALUES(11,'f47f13ab8f53c59f27d64bd99306ae333753f7898397ddea065aff318f3c86d0','{"arguments": "{}", "code": "version 2", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79531696603380060191e+09);
INSERT INTO "hippo_plan" VALUES(12,'7fb2056246e5687cac706b4f7f013e367b594eaeb0e5e8b456a4be91151e707d','{"arguments": "{}", "code": "version 2", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79531696608697748183e+09);
CREATE TABLE hippo_request (
	study BIGINT NOT NULL, 
	request BIGINT NOT NULL, 
	call BIGINT NOT NULL, 
	trial BIGINT NOT NULL, 
	member TEXT NOT NULL, 
	until BIGINT NOT NULL, 
	final BOOLEAN NOT NULL, 
	uncovered TEXT NOT NULL, 
	state TEXT NOT NULL, 
	delivery BIGINT, 
	seconds FLOAT, 
	PRIMARY KEY (study, request)
);
INSERT INTO "hippo_request" VALUES(1,1,0,0,'',2,1,'','answered',0,1.53430006321286782622e-04);
INSERT INTO "hippo_request" VALUES(1,2,0,1,'',2,1,'','answered',1,9.15570017241407185792e-05);
INSERT INTO "hippo_request" VALUES(1,3,0,2,'',2,1,'','answered',2,9.75650036707520484924e-05);
INSERT INTO "hippo_request" VALUES(2,1,0,0,'seed 0',2,1,'','answered',0,1.53430006321286782622e-04);
INSERT INTO "hippo_request" VALUES(2,2,0,0,'seed 1',2,1,'','answered',1,1.25015001685824245214e-04);
INSERT INTO "hippo_request" VALUES(2,3,0,1,'seed 0',2,1,'','answered',0,9.15570017241407185792e-05);
INSERT INTO "hippo_request" VALUES(2,4,0,1,'seed 1',2,1,'','answered',2,8.95539997145533561706e-05);
INSERT INTO "hippo_request" VALUES(2,5,0,2,'seed 0',2,1,'','answered',0,9.75650036707520484924e-05);
INSERT INTO "hippo_request" VALUES(2,6,0,2,'seed 1',2,1,'','answered',3,8.5117993876338e-05);
INSERT INTO "hippo_request" VALUES(3,1,0,0,'',2,1,'','answered',0,1.53430006321286782622e-04);
INSERT INTO "hippo_request" VALUES(3,2,0,1,'',2,1,'','answered',0,9.15570017241407185792e-05);
INSERT INTO "hippo_request" VALUES(3,3,0,2,'',2,1,'','answered',0,9.75650036707520484924e-05);
INSERT INTO "hippo_request" VALUES(4,1,0,0,'',2,1,'','answered',0,1.53430006321286782622e-04);
INSERT INTO "hippo_request" VALUES(4,2,0,1,'',2,1,'','answered',0,9.15570017241407185792e-05);
INSERT INTO "hippo_request" VALUES(4,3,0,2,'',2,1,'','answered',0,9.75650036707520484924e-05);
INSERT INTO "hippo_request" VALUES(5,1,0,0,'',2,0,'','answered',0,1.18756997835589572787e-04);
INSERT INTO "hippo_request" VALUES(5,2,0,1,'',2,0,'','answered',0,1.18756997835589572787e-04);
INSERT INTO "hippo_request" VALUES(5,3,0,2,'',2,0,'','answered',0,1.18756997835589572787e-04);
INSERT INTO "hippo_request" VALUES(5,4,0,0,'',4,0,'','answered',1,2.02532995899673551321e-04);
INSERT INTO "hippo_request" VALUES(5,5,0,0,'',8,1,'','answered',2,3.44916999893030151724e-04);
INSERT INTO "hippo_request" VALUES(5,6,1,3,'',3,0,'','answered',0,1.20820001029642298817e-04);
INSERT INTO "hippo_request" VALUES(5,7,2,4,'',4,1,'','answered',2,2.12116003240225836634e-04);
INSERT INTO "hippo_request" VALUES(5,8,2,5,'',4,1,'','answered',0,1.58948001626413315534e-04);
INSERT INTO "hippo_request" VALUES(5,9,2,6,'',4,1,'','answered',1,1.55642002937383949756e-04);
INSERT INTO "hippo_request" VALUES(6,1,0,0,'seed 0',2,0,'','answered',2,1.17505001981044188141e-04);
INSERT INTO "hippo_request" VALUES(6,2,0,0,'seed 1',2,0,'','answered',1,1.17665997095173224806e-04);
INSERT INTO "hippo_request" VALUES(6,3,0,0,'seed 0',4,0,'','answered',5,1.92366005649091675877e-04);
INSERT INTO "hippo_request" VALUES(6,4,0,0,'seed 1',4,0,'','answered',4,1.94059997738804668188e-04);
INSERT INTO "hippo_request" VALUES(6,5,0,1,'seed 0',2,0,'','answered',8,8.02889917395077645778e-05);
INSERT INTO "hippo_request" VALUES(6,6,0,1,'seed 1',2,0,'','answered',7,7.47510057408362627029e-05);
INSERT INTO "hippo_request" VALUES(6,7,0,2,'seed 0',2,0,'','answered',11,7.4332998337922617793e-05);
INSERT INTO "hippo_request" VALUES(6,8,0,2,'seed 1',2,0,'','answered',10,7.92880018707364797592e-05);
INSERT INTO "hippo_request" VALUES(6,9,0,3,'seed 0',2,0,'','answered',14,7.58230053179431706666e-05);
INSERT INTO "hippo_request" VALUES(6,10,0,3,'seed 1',2,0,'','answered',13,1.44243997056037187576e-04);
INSERT INTO "hippo_request" VALUES(6,11,0,3,'seed 0',4,0,'','answered',17,1.50485007907263934612e-04);
INSERT INTO "hippo_request" VALUES(6,12,0,3,'seed 1',4,0,'','answered',16,2.19016998016741126775e-04);
INSERT INTO "hippo_request" VALUES(6,13,0,4,'seed 0',2,0,'','answered',20,1.06429000879870727658e-04);
INSERT INTO "hippo_request" VALUES(6,14,0,4,'seed 1',2,0,'','answered',19,7.39400020393077284097e-05);
INSERT INTO "hippo_request" VALUES(6,15,0,5,'seed 0',2,0,'','answered',22,1.53430006321286782622e-04);
INSERT INTO "hippo_request" VALUES(6,16,0,5,'seed 1',2,0,'','answered',22,1.25015001685824245214e-04);
INSERT INTO "hippo_request" VALUES(6,17,0,6,'seed 0',2,0,'','answered',24,9.75650036707520484924e-05);
INSERT INTO "hippo_request" VALUES(6,18,0,6,'seed 1',2,0,'','answered',24,8.5117993876338e-05);
INSERT INTO "hippo_request" VALUES(6,19,0,6,'seed 0',4,0,'','answered',26,1.55642002937383949756e-04);
INSERT INTO "hippo_request" VALUES(6,20,0,6,'seed 1',4,0,'','answered',27,1.47881994053022935986e-04);
INSERT INTO "hippo_request" VALUES(6,21,0,7,'seed 0',2,0,'','answered',29,9.15570017241407185792e-05);
INSERT INTO "hippo_request" VALUES(6,22,0,7,'seed 1',2,0,'','answered',29,8.95539997145533561706e-05);
INSERT INTO "hippo_request" VALUES(6,23,1,8,'seed 0',2,0,'','answered',0,1.18756997835589572787e-04);
INSERT INTO "hippo_request" VALUES(6,24,1,8,'seed 1',2,0,'','answered',1,9.85959959507454186677e-05);
INSERT INTO "hippo_request" VALUES(6,25,1,9,'seed 0',2,0,'','answered',0,1.18756997835589572787e-04);
INSERT INTO "hippo_request" VALUES(6,26,1,9,'seed 1',2,0,'','answered',1,9.85959959507454186677e-05);
INSERT INTO "hippo_request" VALUES(6,27,1,10,'seed 0',2,0,'','answered',0,1.18756997835589572787e-04);
INSERT INTO "hippo_request" VALUES(6,28,1,10,'seed 1',2,0,'','answered',1,9.85959959507454186677e-05);
INSERT INTO "hippo_request" VALUES(6,29,1,8,'seed 0',4,0,'','answered',2,2.02532995899673551321e-04);
INSERT INTO "hippo_request" VALUES(6,30,1,8,'seed 1',4,0,'','answered',3,1.93004998436663299798e-04);
INSERT INTO "hippo_request" VALUES(6,31,1,8,'seed 0',8,1,'','answered',4,3.44916999893030151724e-04);
INSERT INTO "hippo_request" VALUES(6,32,1,8,'seed 1',8,1,'','answered',5,3.6129600266576744616e-04);
INSERT INTO "hippo_request" VALUES(6,33,2,11,'seed 0',3,0,'','answered',0,1.20820001029642298817e-04);
INSERT INTO "hippo_request" VALUES(6,34,2,11,'seed 1',3,0,'','answered',1,1.28191994008375331759e-04);
INSERT INTO "hippo_request" VALUES(7,1,0,0,'seed 10',6,0,'[0, 6, 6, 6, 6]','answered',0,2.66275998001219704747e-04);
INSERT INTO "hippo_request" VALUES(7,2,0,0,'seed 9',6,0,'[0, 6, 6, 6, 6]','answered',1,2.37063002714421600103e-04);
INSERT INTO "hippo_request" VALUES(7,3,0,0,'seed 2',6,0,'[0, 6, 6, 6, 6]','answered',2,2.38346994592575356364e-04);
INSERT INTO "hippo_request" VALUES(7,4,0,1,'seed 10',6,0,'[4, 4, 4, 4]','answered',3,2.73477999144233763217e-04);
INSERT INTO "hippo_request" VALUES(7,5,0,1,'seed 9',6,0,'[4, 4, 4, 4]','answered',5,2.56821993389166891574e-04);
INSERT INTO "hippo_request" VALUES(7,6,0,1,'seed 2',6,0,'[4, 4, 4, 4]','answered',4,2.40206998569192364811e-04);
INSERT INTO "hippo_request" VALUES(7,7,0,2,'seed 10',6,0,'[7, 3, 3]','answered',6,2.83492998278234153985e-04);
INSERT INTO "hippo_request" VALUES(7,8,0,2,'seed 9',6,0,'[7, 3, 3]','answered',8,2.64713999058585613965e-04);
INSERT INTO "hippo_request" VALUES(7,9,0,2,'seed 2',6,0,'[7, 3, 3]','answered',7,3.31905004713917151093e-04);
INSERT INTO "hippo_request" VALUES(7,10,0,3,'seed 10',6,0,'[9, 2]','answered',9,2.96442995022516697645e-04);
INSERT INTO "hippo_request" VALUES(7,11,0,3,'seed 9',6,0,'[9, 2]','answered',11,2.76622002274962142109e-04);
INSERT INTO "hippo_request" VALUES(7,12,0,3,'seed 2',6,0,'[9, 2]','answered',10,2.66307997662806883454e-04);
INSERT INTO "hippo_request" VALUES(7,13,1,4,'seed 10',4,1,'','answered',0,1.750530136632733047e-04);
INSERT INTO "hippo_request" VALUES(7,14,1,4,'seed 9',4,1,'','answered',6,1.37403003463987261056e-04);
INSERT INTO "hippo_request" VALUES(7,15,1,4,'seed 2',4,1,'','answered',3,1.36362999910488724708e-04);
INSERT INTO "hippo_request" VALUES(7,16,1,5,'seed 10',4,1,'','answered',1,1.37012997583951801061e-04);
INSERT INTO "hippo_request" VALUES(7,17,1,5,'seed 9',4,1,'','answered',7,1.64204004249768331646e-04);
INSERT INTO "hippo_request" VALUES(7,18,1,5,'seed 2',4,1,'','answered',4,1.31695000163745135068e-04);
INSERT INTO "hippo_request" VALUES(7,19,1,6,'seed 10',4,1,'','answered',2,1.3740600479650311172e-04);
INSERT INTO "hippo_request" VALUES(7,20,1,6,'seed 9',4,1,'','answered',8,1.36852999276015907526e-04);
INSERT INTO "hippo_request" VALUES(7,21,1,6,'seed 2',4,1,'','answered',5,1.37304003146709874272e-04);
INSERT INTO "hippo_request" VALUES(8,1,0,0,'seed 0',6,0,'[0, 6, 6, 6, 6]','answered',0,2.81417997030075639486e-04);
INSERT INTO "hippo_request" VALUES(8,2,0,0,'seed 1',6,0,'[0, 6, 6, 6, 6]','answered',1,2.50091998168500140309e-04);
INSERT INTO "hippo_request" VALUES(8,3,0,1,'seed 0',6,0,'[4, 6, 6, 6]','answered',2,2.25616000534500926733e-04);
INSERT INTO "hippo_request" VALUES(8,4,0,1,'seed 1',6,0,'[4, 6, 6, 6]','answered',3,2.15082993236137554049e-04);
INSERT INTO "hippo_request" VALUES(8,5,0,2,'seed 0',6,0,'[7, 6, 6]','answered',4,2.21521000639768317341e-04);
INSERT INTO "hippo_request" VALUES(8,6,0,2,'seed 1',6,0,'[7, 6, 6]','answered',5,2.78103998425649479031e-04);
INSERT INTO "hippo_request" VALUES(8,7,0,3,'seed 0',6,0,'[9, 6]','answered',6,0.000213511008041678);
INSERT INTO "hippo_request" VALUES(8,8,0,3,'seed 1',6,0,'[9, 6]','answered',7,2.06445998628623783588e-04);
INSERT INTO "hippo_request" VALUES(8,9,1,4,'seed 0',6,1,'','answered',3,1.99309000890934839844e-04);
INSERT INTO "hippo_request" VALUES(8,10,1,4,'seed 1',6,1,'','answered',0,2.31284004257759079337e-04);
INSERT INTO "hippo_request" VALUES(8,11,1,5,'seed 0',6,1,'','answered',4,2.03914994926890358328e-04);
INSERT INTO "hippo_request" VALUES(8,12,1,5,'seed 1',6,1,'','answered',1,1.09802799852332100272e-03);
INSERT INTO "hippo_request" VALUES(8,13,1,6,'seed 0',6,1,'','answered',5,1.92519004485802724957e-04);
INSERT INTO "hippo_request" VALUES(8,14,1,6,'seed 1',6,1,'','answered',2,2.16694996197475120425e-04);
INSERT INTO "hippo_request" VALUES(9,1,0,0,'seed 0',3,1,'','answered',0,1.59838000399759039282e-04);
INSERT INTO "hippo_request" VALUES(9,2,0,0,'seed 1',3,1,'','answered',1,1.44684996485011652112e-04);
INSERT INTO "hippo_request" VALUES(9,3,0,1,'seed 0',3,1,'','answered',2,1.13027996121672913432e-04);
INSERT INTO "hippo_request" VALUES(9,4,0,1,'seed 1',3,1,'','answered',4,1.199180042021907866e-04);
INSERT INTO "hippo_request" VALUES(9,5,0,2,'seed 0',3,1,'','answered',3,4.53370012110099196434e-05);
INSERT INTO "hippo_request" VALUES(9,6,0,2,'seed 1',3,1,'','answered',5,5.56339982722420245409e-05);
INSERT INTO "hippo_request" VALUES(10,1,0,0,'seed 0',2,0,'','answered',1,1.17505001981044188141e-04);
INSERT INTO "hippo_request" VALUES(10,2,0,0,'seed 1',2,0,'','answered',1,1.17665997095173224806e-04);
INSERT INTO "hippo_request" VALUES(10,3,0,0,'seed 0',4,0,'','answered',3,1.92366005649091675877e-04);
INSERT INTO "hippo_request" VALUES(10,4,0,0,'seed 1',4,0,'','answered',3,1.94059997738804668188e-04);
INSERT INTO "hippo_request" VALUES(10,5,0,1,'seed 0',2,0,'','answered',5,8.02889917395077645778e-05);
INSERT INTO "hippo_request" VALUES(10,6,0,1,'seed 1',2,0,'','answered',5,7.47510057408362627029e-05);
INSERT INTO "hippo_request" VALUES(10,7,0,2,'seed 0',2,0,'','answered',7,7.4332998337922617793e-05);
INSERT INTO "hippo_request" VALUES(10,8,0,2,'seed 1',2,0,'','answered',7,7.92880018707364797592e-05);
INSERT INTO "hippo_request" VALUES(10,9,0,3,'seed 0',2,0,'','answered',9,7.58230053179431706666e-05);
INSERT INTO "hippo_request" VALUES(10,10,0,3,'seed 1',2,0,'','answered',9,1.44243997056037187576e-04);
INSERT INTO "hippo_request" VALUES(11,1,0,0,'',3,1,'','answered',0,1.82953004696173593401e-04);
INSERT INTO "hippo_request" VALUES(11,2,0,1,'',3,1,'','answered',0,1.2463600069168023765e-04);
INSERT INTO "hippo_request" VALUES(11,3,0,2,'',3,1,'','answered',0,1.26919003378134220838e-04);
INSERT INTO "hippo_request" VALUES(12,1,0,0,'',3,1,'','answered',2,1.55690002429764717817e-04);
INSERT INTO "hippo_request" VALUES(12,2,0,1,'',3,1,'','answered',1,1.55922003614250570535e-04);
INSERT INTO "hippo_request" VALUES(12,3,0,2,'',3,1,'','answered',0,1.17215993668651208281e-04);
INSERT INTO "hippo_request" VALUES(13,1,0,0,'',3,1,'','answered',0,1.5814699872862547636e-04);
INSERT INTO "hippo_request" VALUES(13,2,0,1,'',3,1,'','answered',1,1.21210996439913287758e-04);
INSERT INTO "hippo_request" VALUES(13,3,0,2,'',3,1,'','answered',2,1.09523003629874438047e-04);
INSERT INTO "hippo_request" VALUES(14,1,0,0,'',3,1,'','answered',0,1.78807000338565558195e-04);
INSERT INTO "hippo_request" VALUES(14,2,0,1,'',3,1,'','answered',1,1.14032005512854084372e-04);
INSERT INTO "hippo_request" VALUES(14,3,0,2,'',3,1,'','answered',2,1.08944001112831756472e-04);
INSERT INTO "hippo_request" VALUES(15,1,0,0,'seed 0',3,1,'','answered',0,1.78807000338565558195e-04);
INSERT INTO "hippo_request" VALUES(15,2,0,0,'seed 1',3,1,'','answered',1,1.57196005602600052952e-04);
INSERT INTO "hippo_request" VALUES(15,3,0,1,'seed 0',3,1,'','answered',0,1.14032005512854084372e-04);
INSERT INTO "hippo_request" VALUES(15,4,0,1,'seed 1',3,1,'','answered',2,1.18546999146929010748e-04);
INSERT INTO "hippo_request" VALUES(15,5,0,2,'seed 0',3,1,'','answered',0,1.08944001112831756472e-04);
INSERT INTO "hippo_request" VALUES(15,6,0,2,'seed 1',3,1,'','answered',3,1.08151001768419519066e-04);
CREATE TABLE hippo_state (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	state_hash TEXT NOT NULL, 
	PRIMARY KEY ("plan", node, step)
);
INSERT INTO "hippo_state" VALUES(1,1,2,'81608b9055b377a465c56b4e992e972e2d460886e8656929c66c2db1d5ae499b');
INSERT INTO "hippo_state" VALUES(1,2,2,'56494864e705081ac8e52b7d9cda6912f8e44e0a20470dbcf7a747e3f346d3ae');
INSERT INTO "hippo_state" VALUES(1,3,2,'336a68a104565d6c827edcb36bb68e36d434ab881fe9ebf6ea384ea37d19f149');
INSERT INTO "hippo_state" VALUES(2,1,2,'3bec757eb724b8f7f5c9bcce718cb8d6412c447b5daedf17153e0344cea75e95');
INSERT INTO "hippo_state" VALUES(2,2,2,'c6facb0d31f577a89d05a61149d5f127268e9847f7e57b83e6160f72a01dfe2e');
INSERT INTO "hippo_state" VALUES(2,3,2,'b76d724ab1021ddbca984077b42f2ef47e9f6afd0f4185c5034400861eb27251');
INSERT INTO "hippo_state" VALUES(1,4,2,'ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0');
INSERT INTO "hippo_state" VALUES(1,5,4,'c6c5ed2db70247d111ed0a2d562895870fd6587cde669889fc0de7c1e0f7108c');
INSERT INTO "hippo_state" VALUES(1,5,8,'7ccf99507720545ab465d548971ed34b76068852a4df47d63779e8878eaeffe5');
INSERT INTO "hippo_state" VALUES(1,6,3,'8f87b52ea89e85a609579d42e1d1d059185fdbff14b82529aecc291ade59c2dc');
INSERT INTO "hippo_state" VALUES(1,2,4,'55e209a12f3927e87c36304dbf60b8650447db6b8cd0cac7e6b98259c2eac41f');
INSERT INTO "hippo_state" VALUES(1,3,4,'f857fccbf78e7b2393676545b71bfc4967635ed92015c3452ebf650feadaa122');
INSERT INTO "hippo_state" VALUES(1,1,4,'40bfd8acb39008f8fc629cef63fe26a3bf4bb9a39eff8bc1657b8beb0a372b4f');
INSERT INTO "hippo_state" VALUES(2,4,2,'f89007e3e104f22f3cb4f135c5798ae243cd19a35b647752c69c8a3d6b79e68b');
INSERT INTO "hippo_state" VALUES(1,7,2,'c24331926e9a3fa6b70a88044be9e146aad54426bf2a568a5dbd40c787364b79');
INSERT INTO "hippo_state" VALUES(2,4,4,'3f6c1e6a76ab985747271cc33e4b7047def94b02fec9ad7cb90d514f36c3356d');
INSERT INTO "hippo_state" VALUES(1,7,4,'7b360b708c96252fa1ce14c47cc443d2013082d5fdd761922bab9e7f7a37c99f');
INSERT INTO "hippo_state" VALUES(2,5,2,'b24a71e32f50cf1c7153914a93700c3aec4af0fa151806f6280e9c487f3778b3');
INSERT INTO "hippo_state" VALUES(1,8,2,'5d088ba1ca5e0e8559a355fb19e4696ab5388762e77325dea1dbc23b37e9974f');
INSERT INTO "hippo_state" VALUES(2,6,2,'16e61b832fa0c2e7e967e965da8fe80437fd30e40848142105640840645f14ba');
INSERT INTO "hippo_state" VALUES(1,9,2,'44d6ace46f7d7ba1c67ab9ecbcb01161a070b5244f417c89f2eb477ad9fcd302');
INSERT INTO "hippo_state" VALUES(2,7,2,'c9a1608d29b793a344f5412c2412446b3f6b59aadb303e91655824ac14164f6b');
INSERT INTO "hippo_state" VALUES(1,10,2,'6dd45e138dbd40b70e1974e4f00bff0d96be4806206edf6a67c31de4c546a3ac');
INSERT INTO "hippo_state" VALUES(2,7,4,'e920267c6ccfbfb537924d8e605a0c608a16a07c084522ed3281c21512016f43');
INSERT INTO "hippo_state" VALUES(1,10,4,'5b9fd77ba6e56062d329fe4c6e76843db24c6244b33d48414dfec89b74a3ad91');
INSERT INTO "hippo_state" VALUES(2,8,2,'4e585ae47a3fbb6d0cab636a69168908a1b8ce45e0bc23c33efba573c2937823');
INSERT INTO "hippo_state" VALUES(1,11,2,'b8811bcff2c2822f57ff29afe6837f119bd85147e416556e9c9ee07232b4838d');
INSERT INTO "hippo_state" VALUES(2,3,4,'fe6cd1c6e056bc3c5b53e524f6b93437daacbf827e569775f540b85ddfaa3bed');
INSERT INTO "hippo_state" VALUES(2,9,2,'e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8');
INSERT INTO "hippo_state" VALUES(2,10,4,'eb4956d93320110551e2cfda932fb7909b23e07f5c88499926cef3735443574b');
INSERT INTO "hippo_state" VALUES(2,10,8,'1e706ac9bf5a65263776d8ea55f9d099985e9d4aa62e2281f74f1fb135e32ecd');
INSERT INTO "hippo_state" VALUES(2,11,3,'43e94f03ee38d51e6f61df5a1523034a23aaff3162e79f59fed4a0a0ddfa1f2b');
INSERT INTO "hippo_state" VALUES(3,1,2,'3d39ed117309851de4116e9162c7b29470c348b1598bd86d000512d95d358bf5');
INSERT INTO "hippo_state" VALUES(3,2,6,'106d8f7dc165040ea7a9eba188a1a49527a4192c7a5c3956d1a0c421894ed413');
INSERT INTO "hippo_state" VALUES(4,1,2,'b84cfad7812a3c5335cfeaf8157470e8c94da25ce39643dab68088659b8f1c07');
INSERT INTO "hippo_state" VALUES(4,2,6,'0a5835ad9be5026cb24c0eeaff96d4ada0f7e082c8af8a8a0d77d8b6ff62e933');
INSERT INTO "hippo_state" VALUES(5,1,2,'b85e094b37ff205bc91eae32b959aa1ba3f3ebe41bf74b8de31dcdb33cfe85f0');
INSERT INTO "hippo_state" VALUES(5,2,6,'8d4f756e901a086d9fca67c480a92504e36cbda5b422ed361ad16c600a777692');
INSERT INTO "hippo_state" VALUES(3,1,3,'3f7b8440bc654a7a1182a6d860cb72f9a9046730f4257dcfafa0d3df37b9cc40');
INSERT INTO "hippo_state" VALUES(3,3,6,'202f806acc7426064f84bb24911dadd6ba3da8af9a9698372b1008a40ee1a07e');
INSERT INTO "hippo_state" VALUES(5,1,3,'9d1fee37b049ce1c0b882aa0fd421639b84a5003c9f7cffbe6cd90260a49d8d5');
INSERT INTO "hippo_state" VALUES(5,3,6,'d7cfb89d7bbda5db56f733ee273efffc29a6ad8caaffaacca5b9f7af2416e67e');
INSERT INTO "hippo_state" VALUES(4,1,3,'629ad02a3ca49248f4d3aea1d0a82e2e7d3f6bd5b3f6f6d5f41c705519bc04a8');
INSERT INTO "hippo_state" VALUES(4,3,6,'f7a8815999beee21d9d27cb6a179cf73dbc6cb74f53f09900a957f2aac0764f6');
INSERT INTO "hippo_state" VALUES(3,1,4,'7d07a3e631e5ae1e87488ec07cb45356e09f4322f26461518244aaedfe479c98');
INSERT INTO "hippo_state" VALUES(3,4,6,'cdb1ff3cf884afa1cff95e0bf9e9f0642a4296574b48da5a8dbeb9824736f590');
INSERT INTO "hippo_state" VALUES(5,1,4,'6b82ed40479132b4af611811c5c692baae988cba3278d344ab5dccec28915dd9');
INSERT INTO "hippo_state" VALUES(5,4,6,'be536ccee8f6b9ae75ff1196844acfe7dfa9ad539d6c3b0fd9abe38dcf711176');
INSERT INTO "hippo_state" VALUES(4,1,4,'bcae085497a4e65ee8826598eb50ae9bdb9b9aee1244dac8637c7a251e451445');
INSERT INTO "hippo_state" VALUES(4,4,6,'3057041505e33f095b3ea8ef0b064d91d656a0afc7a4ce1a76bab241723b259a');
INSERT INTO "hippo_state" VALUES(3,1,5,'ca7a5e0e2024f0cd92ba51500cba2fe760f61e5a3bee8ff2993ed5b5f4e844d2');
INSERT INTO "hippo_state" VALUES(3,5,6,'a8e2cf64d5f4d0d71dfc134bf1c80dbe87740e97ce8e38acef18701867925949');
INSERT INTO "hippo_state" VALUES(5,1,5,'baf52bf43b40c23d50ac507d16d2af1a03cc4a7046113fb9d1aa493a698697f0');
INSERT INTO "hippo_state" VALUES(5,5,6,'9b806778137175035b67b0f3b4ab694bbfe535c36a4cb07e0fac525757efdef3');
INSERT INTO "hippo_state" VALUES(4,1,5,'0735fe4163f7aa5e706eeb7c62f592aa607bdca5a78a6c2360bf87f2f6d4a67d');
INSERT INTO "hippo_state" VALUES(4,5,6,'3137f7d9837d0f7499f7d7b991a881e04dd804082834032cdc7141716c2a8790');
INSERT INTO "hippo_state" VALUES(3,6,4,'907ab37828da271c886d2544ec2c1cd4c3bdba5694dabe8c716991dc6ff6ad76');
INSERT INTO "hippo_state" VALUES(3,7,4,'cee33f2e9b6ea3e218156f001f1b739229d949080c03a1ed9799cf97e43a2b2f');
INSERT INTO "hippo_state" VALUES(3,8,4,'e52d097cf4d6c80a5108e7bb530ca5fa7f5fe910068dd308a7cca9148559fe3a');
INSERT INTO "hippo_state" VALUES(5,6,4,'9ff213c9244c06c86a6dd7ffff4a45fce142fa1d75b145be1e1e72701924c52e');
INSERT INTO "hippo_state" VALUES(5,7,4,'93c595d68e8e37395e4f4db70f929ce5117bb5824fdb94c6e423d50b9678a714');
INSERT INTO "hippo_state" VALUES(5,8,4,'f327eb8a3d24395a98424014c9d202acca9fb96ebb8130b88df4931287c5124a');
INSERT INTO "hippo_state" VALUES(4,6,4,'5936f8f892bda8c37d8ba8e05666d9db2d7127b172937a44501e8d78b2219070');
INSERT INTO "hippo_state" VALUES(4,7,4,'c34510328c6961cd8599c121751da78e526329f5e1c76ba1c3e5c154f58476c7');
INSERT INTO "hippo_state" VALUES(4,8,4,'eb244d2f83d1df153486bcedda8686e1a293513ab919dfb0bdb4f6d05081bc88');
INSERT INTO "hippo_state" VALUES(6,1,2,'ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0');
INSERT INTO "hippo_state" VALUES(6,2,6,'b9c59c55c1fe0d3b17d09723229a3d23d418e2ac950f050ea6f03d1fec0410c2');
INSERT INTO "hippo_state" VALUES(7,1,2,'e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8');
INSERT INTO "hippo_state" VALUES(7,2,6,'60daac999ac77fe06e6d1e1ac5d96bb03cd0f40959636f4a55bf2db0901e4358');
INSERT INTO "hippo_state" VALUES(6,3,3,'0fcb948aead3fda09fe443b148b569ae1ec390e158e87ccd5168e86b1f4015cb');
INSERT INTO "hippo_state" VALUES(6,4,6,'d7bd2605606570415dd8629f1c080da1643e5fa9086e7ff71c446a4e2461cca8');
INSERT INTO "hippo_state" VALUES(7,3,3,'0fd2c7011dd20de0816990efd9cf1de67ec5fd116c6903cf827010ee904b7e08');
INSERT INTO "hippo_state" VALUES(7,4,6,'388a2c86da97c10344907323be57be5b491208f614d4bdfd4bbf443fb1806a31');
INSERT INTO "hippo_state" VALUES(6,5,4,'a7db5c1729f4260b4c35968eb98e004c28281c79d4834942e92f50af1e9badfd');
INSERT INTO "hippo_state" VALUES(6,6,6,'c075d5dd50caba1ef5d6786cc6f0394f1b822a87110a5dd8397191b91290550c');
INSERT INTO "hippo_state" VALUES(7,5,4,'0d8fb9a8e721ceff92d8d70dfff789f30310b29f9cd6173ba34cf1f7adedf8a8');
INSERT INTO "hippo_state" VALUES(7,6,6,'42beacd6bbc9a7b03bab4e513a7f895cd82902e32b4499079782cfaa430f2722');
INSERT INTO "hippo_state" VALUES(6,7,5,'0680ec494bd71511e37dacf4b06249796c01c5589c76d051eacb524f0ad309a7');
INSERT INTO "hippo_state" VALUES(6,8,6,'75e2559ebb8db4b0d3625153b373727731938ea5f49e247bdcce22fee9f244bf');
INSERT INTO "hippo_state" VALUES(7,7,5,'f822aafecd7ad221a5060c2f1a15f4d4eefd514591ffb070c685bafd8656d57d');
INSERT INTO "hippo_state" VALUES(7,8,6,'183c3ef6e4615b644a7a2f0f588fbe0758900341be72435f1c898583e975a853');
INSERT INTO "hippo_state" VALUES(7,10,6,'5abc37a6a7fb36c40f1eec424d522c1cf9a8d5f27a3e9272885815d84150f1d9');
INSERT INTO "hippo_state" VALUES(7,12,6,'934c3ca92fb3ac0250536168168aa1968377aced17b48d09d68ca8416adc333d');
INSERT INTO "hippo_state" VALUES(7,13,6,'746d4acf4ece4bf504504100b69802f82b04bf9abc8638107cccf0c5d46ad3d8');
INSERT INTO "hippo_state" VALUES(6,10,6,'f76ed637dee1f1f8dff51df4599ae88b756e9cc8fe686085a514383a22bf7d33');
INSERT INTO "hippo_state" VALUES(6,12,6,'6bedde26aacbc1b956a8b73e9b59af07b3e2711ae1386670aba6c88df5315038');
INSERT INTO "hippo_state" VALUES(6,13,6,'b16b8bdf9fa5b2066862ce627f84cbd910d2eeb67d1764ab276bdd5a408624dc');
INSERT INTO "hippo_state" VALUES(8,1,3,'148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73');
INSERT INTO "hippo_state" VALUES(9,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(8,2,3,'822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04');
INSERT INTO "hippo_state" VALUES(9,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(2,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(2,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(10,1,3,'2c89878e8b04ab0e5bc0e673e20cd8f5f44ef39bda139514feb6d56a1575121b');
INSERT INTO "hippo_state" VALUES(10,2,3,'6ce4e3ff5b4c9d028b52b6b581f4769575173cc05a817a1c1fd0fc121b90deb2');
INSERT INTO "hippo_state" VALUES(10,3,3,'c2dbb6f980b2195cb51b54f05709c086222934ea165981672026332c87c559ed');
INSERT INTO "hippo_state" VALUES(11,1,3,'148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73');
INSERT INTO "hippo_state" VALUES(11,2,3,'822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04');
INSERT INTO "hippo_state" VALUES(11,3,3,'9ad48dec4d8870e0e7d129769c605c17fec579b75df85313be40703f32b43c21');
INSERT INTO "hippo_state" VALUES(12,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(12,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(12,3,3,'15c561d89a19a00232fcd4cd92c8b5b8fe356e6ba39da09b7e92000434897c3e');
CREATE TABLE hippo_step (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	attempt BIGINT NOT NULL, 
	cause TEXT NOT NULL, 
	study BIGINT NOT NULL, 
	training TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	PRIMARY KEY ("plan", node, step, attempt)
);
INSERT INTO "hippo_step" VALUES(1,1,1,0,'first',1,'{"slope": 2.1684074606012884}',8.4577000961871817708e-05);
INSERT INTO "hippo_step" VALUES(1,1,2,0,'first',1,'{"slope": 1.8679250176159752}',4.13720008509699255228e-05);
INSERT INTO "hippo_step" VALUES(1,1,2,1,'check',1,'{}',3.72916501873987726867e-04);
INSERT INTO "hippo_step" VALUES(1,1,1,1,'check',1,'{}',3.72916501873987726867e-04);
INSERT INTO "hippo_step" VALUES(1,2,1,0,'first',1,'{"slope": 2.1684074606012884}',4.36250011262018233537e-05);
INSERT INTO "hippo_step" VALUES(1,2,2,0,'first',1,'{"slope": 2.301606509736233}',2.63290021393913775682e-05);
INSERT INTO "hippo_step" VALUES(1,3,1,0,'first',1,'{"slope": 2.1684074606012884}',3.96089999412652105093e-05);
INSERT INTO "hippo_step" VALUES(1,3,2,0,'first',1,'{"slope": 2.0847657636761037}',3.40709993906784802675e-05);
INSERT INTO "hippo_step" VALUES(2,1,1,0,'first',2,'{"slope": 1.8204734693921991}',7.13660010660532861948e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,0,'first',2,'{"slope": 1.0129464744554324}',3.1005998607724905014e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,1,'check',2,'{}',3.30938999468344263732e-04);
INSERT INTO "hippo_step" VALUES(2,1,1,1,'check',2,'{}',3.30938999468344263732e-04);
INSERT INTO "hippo_step" VALUES(2,2,1,0,'first',2,'{"slope": 1.8204734693921991}',4.08910018450114876031e-05);
INSERT INTO "hippo_step" VALUES(2,2,2,0,'first',2,'{"slope": 1.3770411683338724}',2.85729984170757234096e-05);
INSERT INTO "hippo_step" VALUES(2,3,1,0,'first',2,'{"slope": 1.8204734693921991}',3.75159979739692062139e-05);
INSERT INTO "hippo_step" VALUES(2,3,2,0,'first',2,'{"slope": 1.1949938213946525}',2.73709993052762e-05);
INSERT INTO "hippo_step" VALUES(1,4,1,0,'first',5,'{"slope": 2.1684074606012884}',6.67489985062275081872e-05);
INSERT INTO "hippo_step" VALUES(1,4,2,0,'first',5,'{"slope": 1.8679250176159752}',2.88930023089051246643e-05);
INSERT INTO "hippo_step" VALUES(1,5,3,0,'first',5,'{"slope": 1.34201546402799}',3.81669997295830398797e-05);
INSERT INTO "hippo_step" VALUES(1,5,4,0,'first',5,'{"slope": 0.7770542221796604}',2.64400005107745528221e-05);
INSERT INTO "hippo_step" VALUES(1,5,4,1,'check',5,'{}',3.26065997796831652522e-04);
INSERT INTO "hippo_step" VALUES(1,5,5,0,'first',5,'{"slope": 1.2119303775259596}',3.84180020773783326148e-05);
INSERT INTO "hippo_step" VALUES(1,5,6,0,'first',5,'{"slope": 0.9085728529513986}',2.43470021814573556184e-05);
INSERT INTO "hippo_step" VALUES(1,5,7,0,'first',5,'{"slope": 1.0616997260836607}',2.11309998121578246355e-05);
INSERT INTO "hippo_step" VALUES(1,5,8,0,'first',5,'{"slope": 1.0554653390836866}',2.19229987123981118202e-05);
INSERT INTO "hippo_step" VALUES(1,5,8,1,'check',5,'{}',0.000320948995067738);
INSERT INTO "hippo_step" VALUES(1,6,1,0,'first',5,'{"slope": 2.1684074606012884}',4.35250003647524863481e-05);
INSERT INTO "hippo_step" VALUES(1,6,2,0,'first',5,'{"slope": 1.9763453906460395}',2.51079982263036072254e-05);
INSERT INTO "hippo_step" VALUES(1,6,3,0,'first',5,'{"slope": 1.4990607306732788}',2.18819986912421882152e-05);
INSERT INTO "hippo_step" VALUES(1,2,1,1,'not kept',5,'{"slope": 2.1684074606012884}',4.05110004066955298185e-05);
INSERT INTO "hippo_step" VALUES(1,2,2,1,'not kept',5,'{"slope": 2.301606509736233}',2.34850012930110096931e-05);
INSERT INTO "hippo_step" VALUES(1,2,3,0,'first',5,'{"slope": 2.028646979470856}',2.0980998669983819127e-05);
INSERT INTO "hippo_step" VALUES(1,2,4,0,'first',5,'{"slope": 1.3850306932188248}',2.42669993895106017589e-05);
INSERT INTO "hippo_step" VALUES(1,3,1,1,'not kept',5,'{"slope": 2.1684074606012884}',3.61040001735091209411e-05);
INSERT INTO "hippo_step" VALUES(1,3,2,1,'not kept',5,'{"slope": 2.0847657636761037}',2.35949992202222347259e-05);
INSERT INTO "hippo_step" VALUES(1,3,3,0,'first',5,'{"slope": 1.6658477387955193}',2.07509983738418668508e-05);
INSERT INTO "hippo_step" VALUES(1,3,4,0,'first',5,'{"slope": 0.8721170592481295}',1.99499991140328347682e-05);
INSERT INTO "hippo_step" VALUES(1,1,1,2,'evicted',5,'{"slope": 2.1684074606012884}',3.60739977622870355844e-05);
INSERT INTO "hippo_step" VALUES(1,1,2,2,'evicted',5,'{"slope": 1.8679250176159752}',2.34549988817889243364e-05);
INSERT INTO "hippo_step" VALUES(1,1,3,0,'first',5,'{"slope": 1.3420154640279898}',2.08809979085344821214e-05);
INSERT INTO "hippo_step" VALUES(1,1,4,0,'first',5,'{"slope": 0.5107605324678836}',2.05199976335279643535e-05);
INSERT INTO "hippo_step" VALUES(2,4,1,0,'first',6,'{"slope": 1.8204734693921991}',6.73499998811166733503e-05);
INSERT INTO "hippo_step" VALUES(2,4,2,0,'first',6,'{"slope": 0.17591240296894667}',2.80219974229112267494e-05);
INSERT INTO "hippo_step" VALUES(1,7,1,0,'first',6,'{"slope": 2.1684074606012884}',5.53019999642856419086e-05);
INSERT INTO "hippo_step" VALUES(1,7,2,0,'first',6,'{"slope": 0.783721287315331}',3.2879001082619652152e-05);
INSERT INTO "hippo_step" VALUES(2,4,3,0,'first',6,'{"slope": 0.19964804697841}',3.47120003425516188144e-05);
INSERT INTO "hippo_step" VALUES(2,4,4,0,'first',6,'{"slope": 0.2962732235604226}',2.39960027101915329694e-05);
INSERT INTO "hippo_step" VALUES(2,4,4,1,'check',6,'{}',3.27138004649896174669e-04);
INSERT INTO "hippo_step" VALUES(1,7,3,0,'first',6,'{"slope": 0.3073585788074452}',3.26280023728031665086e-05);
INSERT INTO "hippo_step" VALUES(1,7,4,0,'first',6,'{"slope": 0.5780884852738262}',2.33850005315616726875e-05);
INSERT INTO "hippo_step" VALUES(2,5,1,0,'first',6,'{"slope": 1.8204734693921991}',3.48320027114823460578e-05);
INSERT INTO "hippo_step" VALUES(2,5,2,0,'first',6,'{"slope": 0.2847570866985527}',2.14520005101803690195e-05);
INSERT INTO "hippo_step" VALUES(1,8,1,0,'first',6,'{"slope": 2.1684074606012884}',3.46819979313295334577e-05);
INSERT INTO "hippo_step" VALUES(1,8,2,0,'first',6,'{"slope": 1.00056203337546}',2.63989968516398221254e-05);
INSERT INTO "hippo_step" VALUES(2,6,1,0,'first',6,'{"slope": 1.8204734693921991}',3.47719978890381753444e-05);
INSERT INTO "hippo_step" VALUES(2,6,2,0,'first',6,'{"slope": 0.4668044336377725}',2.57680003414861857891e-05);
INSERT INTO "hippo_step" VALUES(1,9,1,0,'first',6,'{"slope": 2.1684074606012884}',3.37509991368278861045e-05);
INSERT INTO "hippo_step" VALUES(1,9,2,0,'first',6,'{"slope": 1.2174027794355886}',2.15530017158016562461e-05);
INSERT INTO "hippo_step" VALUES(2,7,1,0,'first',6,'{"slope": 1.8204734693921991}',1.01481000456260517239e-04);
INSERT INTO "hippo_step" VALUES(2,7,2,0,'first',6,'{"slope": 0.6488517805769927}',2.2923999495105817914e-05);
INSERT INTO "hippo_step" VALUES(1,10,1,0,'first',6,'{"slope": 2.1684074606012884}',3.42010025633499e-05);
INSERT INTO "hippo_step" VALUES(1,10,2,0,'first',6,'{"slope": 1.4342435254957175}',2.26640004257205873727e-05);
INSERT INTO "hippo_step" VALUES(2,7,3,0,'first',6,'{"slope": 0.26603935669580697}',3.40309998136945068836e-05);
INSERT INTO "hippo_step" VALUES(2,7,4,0,'first',6,'{"slope": 0.4132885434353006}',2.18530003621708601713e-05);
INSERT INTO "hippo_step" VALUES(1,10,3,0,'first',6,'{"slope": 0.8112518122163512}',3.39910002367105334997e-05);
INSERT INTO "hippo_step" VALUES(1,10,4,0,'first',6,'{"slope": 0.27385489401289265}',2.22330018004868179559e-05);
INSERT INTO "hippo_step" VALUES(2,8,1,0,'first',6,'{"slope": 1.8204734693921991}',3.3889999031089246273e-05);
INSERT INTO "hippo_step" VALUES(2,8,2,0,'first',6,'{"slope": 0.8308991275162125}',2.15620020753704e-05);
INSERT INTO "hippo_step" VALUES(1,11,1,0,'first',6,'{"slope": 2.1684074606012884}',5.47410018043592572212e-05);
INSERT INTO "hippo_step" VALUES(1,11,2,0,'first',6,'{"slope": 1.6510842715558463}',2.82319997495505958795e-05);
INSERT INTO "hippo_step" VALUES(2,3,1,1,'not kept',6,'{"slope": 1.8204734693921991}',4.12720000895205885171e-05);
INSERT INTO "hippo_step" VALUES(2,3,2,1,'not kept',6,'{"slope": 1.1949938213946525}',2.93129996862262487411e-05);
INSERT INTO "hippo_step" VALUES(2,3,3,0,'first',6,'{"slope": 0.8976085235230326}',2.29840006795711815357e-05);
INSERT INTO "hippo_step" VALUES(2,3,4,0,'first',6,'{"slope": 0.8597683039618846}',2.12320010177791118621e-05);
INSERT INTO "hippo_step" VALUES(2,9,1,0,'first',6,'{"slope": 1.8204734693921991}',5.0023998483084142208e-05);
INSERT INTO "hippo_step" VALUES(2,9,2,0,'first',6,'{"slope": 1.0129464744554326}',2.684999708435498178e-05);
INSERT INTO "hippo_step" VALUES(2,10,3,0,'first',6,'{"slope": 0.6506759985261135}',5.01739996252581477165e-05);
INSERT INTO "hippo_step" VALUES(2,10,4,0,'first',6,'{"slope": 0.8045858496192188}',2.40150002355221658945e-05);
INSERT INTO "hippo_step" VALUES(2,10,5,0,'first',6,'{"slope": 1.2220253407422799}',3.7726000300608575344e-05);
INSERT INTO "hippo_step" VALUES(2,10,6,0,'first',6,'{"slope": 0.7296420188318229}',2.33150021813344210386e-05);
INSERT INTO "hippo_step" VALUES(2,10,7,0,'first',6,'{"slope": 0.5455514725110924}',2.13720013562124222517e-05);
INSERT INTO "hippo_step" VALUES(2,10,8,0,'first',6,'{"slope": 0.6166260104939352}',2.14319989026989787817e-05);
INSERT INTO "hippo_step" VALUES(2,10,8,1,'check',6,'{}',5.28108001162763684988e-04);
INSERT INTO "hippo_step" VALUES(2,11,1,0,'first',6,'{"slope": 1.8204734693921991}',4.66399978904519230127e-05);
INSERT INTO "hippo_step" VALUES(2,11,2,0,'first',6,'{"slope": 1.1039701479250426}',2.69599986495450139045e-05);
INSERT INTO "hippo_step" VALUES(2,11,3,0,'first',6,'{"slope": 0.7695910773510926}',2.20629990508314222097e-05);
INSERT INTO "hippo_step" VALUES(3,1,1,0,'first',7,'{"slope": 2.7900312967625474}',6.76909985486418e-05);
INSERT INTO "hippo_step" VALUES(3,1,2,0,'first',7,'{"slope": 1.947715775360734}',3.01649997709319e-05);
INSERT INTO "hippo_step" VALUES(3,1,2,1,'check',7,'{}',3.18319998768856748938e-04);
INSERT INTO "hippo_step" VALUES(3,1,1,1,'check',7,'{}',3.18319998768856748938e-04);
INSERT INTO "hippo_step" VALUES(3,2,3,0,'first',7,'{"slope": 1.214479865716606}',4.05999999202322214841e-05);
INSERT INTO "hippo_step" VALUES(3,2,4,0,'first',7,'{"slope": 0.7692247244424143}',2.34050021390430629253e-05);
INSERT INTO "hippo_step" VALUES(3,2,5,0,'first',7,'{"slope": 0.8496178021757814}',2.2573000023839995265e-05);
INSERT INTO "hippo_step" VALUES(3,2,6,0,'first',7,'{"slope": 0.8890471612377592}',2.27439995796885341405e-05);
INSERT INTO "hippo_step" VALUES(3,2,6,1,'check',7,'{}',4.11554996389895677566e-04);
INSERT INTO "hippo_step" VALUES(4,1,1,0,'first',7,'{"slope": 3.052415687658902}',4.96639986522495746612e-05);
INSERT INTO "hippo_step" VALUES(4,1,2,0,'first',7,'{"slope": 2.157956608520416}',2.81719985650852322578e-05);
INSERT INTO "hippo_step" VALUES(4,1,2,1,'check',7,'{}',2.93553001029067672789e-04);
INSERT INTO "hippo_step" VALUES(4,1,1,1,'check',7,'{}',2.93553001029067672789e-04);
INSERT INTO "hippo_step" VALUES(4,2,3,0,'first',7,'{"slope": 1.2398720270953068}',3.6755001929122954607e-05);
INSERT INTO "hippo_step" VALUES(4,2,4,0,'first',7,'{"slope": 1.174541855544692}',2.25539988605305552482e-05);
INSERT INTO "hippo_step" VALUES(4,2,5,0,'first',7,'{"slope": 0.9734936107542089}',2.15020008909050375223e-05);
INSERT INTO "hippo_step" VALUES(4,2,6,0,'first',7,'{"slope": 1.0038806833528109}',2.16620028368197381496e-05);
INSERT INTO "hippo_step" VALUES(4,2,6,1,'check',7,'{}',3.49379999533994123339e-04);
INSERT INTO "hippo_step" VALUES(5,1,1,0,'first',7,'{"slope": 1.9163847102518394}',4.75710003229323774576e-05);
INSERT INTO "hippo_step" VALUES(5,1,2,0,'first',7,'{"slope": 1.6931119550395772}',2.64699992840178310871e-05);
INSERT INTO "hippo_step" VALUES(5,1,2,1,'check',7,'{}',2.93116996544995345175e-04);
INSERT INTO "hippo_step" VALUES(5,1,1,1,'check',7,'{}',2.93116996544995345175e-04);
INSERT INTO "hippo_step" VALUES(5,2,3,0,'first',7,'{"slope": 1.023953754646024}',4.1982999391620978713e-05);
INSERT INTO "hippo_step" VALUES(5,2,4,0,'first',7,'{"slope": 0.8705306691782584}',2.31539997912477701902e-05);
INSERT INTO "hippo_step" VALUES(5,2,5,0,'first',7,'{"slope": 0.6712956490741686}',2.17619999602902680635e-05);
INSERT INTO "hippo_step" VALUES(5,2,6,0,'first',7,'{"slope": 0.5026916663445289}',2.17029992199968546628e-05);
INSERT INTO "hippo_step" VALUES(5,2,6,1,'check',7,'{}',0.000320479000947671);
INSERT INTO "hippo_step" VALUES(3,1,3,0,'first',7,'{"slope": 1.214479865716606}',3.49820002156775444746e-05);
INSERT INTO "hippo_step" VALUES(3,3,4,0,'first',7,'{"slope": 0.5870527445849235}',3.64449988410342484712e-05);
INSERT INTO "hippo_step" VALUES(3,3,5,0,'first',7,'{"slope": 0.6947716192969142}',2.28839999181218445301e-05);
INSERT INTO "hippo_step" VALUES(3,3,6,0,'first',7,'{"slope": 0.757427905790722}',2.16130029002670198678e-05);
INSERT INTO "hippo_step" VALUES(5,1,3,0,'first',7,'{"slope": 1.023953754646024}',3.24379980156663805246e-05);
INSERT INTO "hippo_step" VALUES(5,3,4,0,'first',7,'{"slope": 0.7169376059813548}',3.46819979313295334577e-05);
INSERT INTO "hippo_step" VALUES(5,3,5,0,'first',7,'{"slope": 0.5407415453568005}',2.17720007640309631824e-05);
INSERT INTO "hippo_step" VALUES(5,3,6,0,'first',7,'{"slope": 0.391720678184766}',2.0629999198717996478e-05);
INSERT INTO "hippo_step" VALUES(4,1,3,0,'first',7,'{"slope": 1.2398720270953068}',3.30389993905555456876e-05);
INSERT INTO "hippo_step" VALUES(4,3,4,0,'first',7,'{"slope": 0.9909663274832055}',3.83570004487410187721e-05);
INSERT INTO "hippo_step" VALUES(4,3,5,0,'first',7,'{"slope": 0.8174544119019451}',2.27939999604132026433e-05);
INSERT INTO "hippo_step" VALUES(4,3,6,0,'first',7,'{"slope": 0.8712473643283868}',2.09319987334311e-05);
INSERT INTO "hippo_step" VALUES(3,1,4,0,'first',7,'{"slope": 0.5870527445849235}',3.44809996022377163171e-05);
INSERT INTO "hippo_step" VALUES(3,4,5,0,'first',7,'{"slope": 0.6067137076091758}',3.41710001521278172731e-05);
INSERT INTO "hippo_step" VALUES(3,4,6,0,'first',7,'{"slope": 0.6825786808561444}',2.20930014620535075664e-05);
INSERT INTO "hippo_step" VALUES(5,1,4,0,'first',7,'{"slope": 0.7169376059813548}',3.39210018864832818508e-05);
INSERT INTO "hippo_step" VALUES(5,4,5,0,'first',7,'{"slope": 0.4332009044595973}',1.09743999928468838334e-04);
INSERT INTO "hippo_step" VALUES(5,4,6,0,'first',7,'{"slope": 0.30031113342214333}',2.26940028369426727294e-05);
INSERT INTO "hippo_step" VALUES(4,1,4,0,'first',7,'{"slope": 0.9909663274832055}',3.46819979313295334577e-05);
INSERT INTO "hippo_step" VALUES(4,4,5,0,'first',7,'{"slope": 0.6688094627794644}',3.38209974870551377534e-05);
INSERT INTO "hippo_step" VALUES(4,4,6,0,'first',7,'{"slope": 0.744899157574278}',2.15420004678890109062e-05);
INSERT INTO "hippo_step" VALUES(3,1,5,0,'first',7,'{"slope": 0.6067137076091758}',3.39510006597265601158e-05);
INSERT INTO "hippo_step" VALUES(3,5,6,0,'first',7,'{"slope": 0.591571624714768}',3.41509985446464270353e-05);
INSERT INTO "hippo_step" VALUES(5,1,5,0,'first',7,'{"slope": 0.4332009044595973}',3.34799988195300102233e-05);
INSERT INTO "hippo_step" VALUES(5,5,6,0,'first',7,'{"slope": 0.24288183436809763}',3.3550000807736068964e-05);
INSERT INTO "hippo_step" VALUES(4,1,5,0,'first',7,'{"slope": 0.6688094627794644}',3.3289998100372031331e-05);
INSERT INTO "hippo_step" VALUES(4,5,6,0,'first',7,'{"slope": 0.6445777381573585}',3.32600029651075601577e-05);
INSERT INTO "hippo_step" VALUES(3,6,1,0,'first',7,'{"slope": 2.7900312967625474}',4.99140005558729171752e-05);
INSERT INTO "hippo_step" VALUES(3,6,2,0,'first',7,'{"slope": 1.947715775360734}',3.29800022882409393787e-05);
INSERT INTO "hippo_step" VALUES(3,6,3,0,'first',7,'{"slope": 1.2144798657166056}',2.67700015683658421039e-05);
INSERT INTO "hippo_step" VALUES(3,6,4,0,'first',7,'{"slope": 0.5870527445849232}',2.16130029002670198678e-05);
INSERT INTO "hippo_step" VALUES(3,7,1,0,'first',7,'{"slope": 2.7900312967625474}',3.67040011042263358831e-05);
INSERT INTO "hippo_step" VALUES(3,7,2,0,'first',7,'{"slope": 2.5057220347132434}',2.28439967031590640544e-05);
INSERT INTO "hippo_step" VALUES(3,7,3,0,'first',7,'{"slope": 2.106228654206011}',2.10020007216371595859e-05);
INSERT INTO "hippo_step" VALUES(3,7,4,0,'first',7,'{"slope": 1.6325226273687092}',2.04299976758193224668e-05);
INSERT INTO "hippo_step" VALUES(3,8,1,0,'first',7,'{"slope": 2.7900312967625474}',3.76069983758498e-05);
INSERT INTO "hippo_step" VALUES(3,8,2,0,'first',7,'{"slope": 2.2267189050369884}',2.27339987759478390216e-05);
INSERT INTO "hippo_step" VALUES(3,8,3,0,'first',7,'{"slope": 1.632453946993683}',2.02800001716241240501e-05);
INSERT INTO "hippo_step" VALUES(3,8,4,0,'first',7,'{"slope": 1.0428799961782456}',2.05310025194194167852e-05);
INSERT INTO "hippo_step" VALUES(5,6,1,0,'first',7,'{"slope": 1.9163847102518394}',3.42710009135771542787e-05);
INSERT INTO "hippo_step" VALUES(5,6,2,0,'first',7,'{"slope": 1.6931119550395772}',2.20229994738474488258e-05);
INSERT INTO "hippo_step" VALUES(5,6,3,0,'first',7,'{"slope": 1.0239537546460238}',2.08710007427725940942e-05);
INSERT INTO "hippo_step" VALUES(5,6,4,0,'first',7,'{"slope": 0.7169376059813546}',2.01500006369315087795e-05);
INSERT INTO "hippo_step" VALUES(5,7,1,0,'first',7,'{"slope": 1.9163847102518394}',3.40400001732632517814e-05);
INSERT INTO "hippo_step" VALUES(5,7,2,0,'first',7,'{"slope": 2.076388897089945}',2.17830020119436085224e-05);
INSERT INTO "hippo_step" VALUES(5,7,3,0,'first',7,'{"slope": 1.7075253934992702}',1.99700007215142250061e-05);
INSERT INTO "hippo_step" VALUES(5,7,4,0,'first',7,'{"slope": 1.5369428318784812}',1.99489986698608845472e-05);
INSERT INTO "hippo_step" VALUES(5,8,1,0,'first',7,'{"slope": 1.9163847102518394}',3.34500000462867319583e-05);
INSERT INTO "hippo_step" VALUES(5,8,2,0,'first',7,'{"slope": 1.8847504260647612}',2.20730034925509244203e-05);
INSERT INTO "hippo_step" VALUES(5,8,3,0,'first',7,'{"slope": 1.3465757269701288}',2.05710020964033901691e-05);
INSERT INTO "hippo_step" VALUES(5,8,4,0,'first',7,'{"slope": 1.0774305593052411}',2.42560017795767635107e-05);
INSERT INTO "hippo_step" VALUES(4,6,1,0,'first',7,'{"slope": 3.052415687658902}',3.34600008500274270772e-05);
INSERT INTO "hippo_step" VALUES(4,6,2,0,'first',7,'{"slope": 2.157956608520416}',2.59890002780593931674e-05);
INSERT INTO "hippo_step" VALUES(4,6,3,0,'first',7,'{"slope": 1.2398720270953068}',2.06209988391492515802e-05);
INSERT INTO "hippo_step" VALUES(4,6,4,0,'first',7,'{"slope": 0.9909663274832052}',2.06600016099400818347e-05);
INSERT INTO "hippo_step" VALUES(4,7,1,0,'first',7,'{"slope": 3.052415687658902}',3.32800009346101433038e-05);
INSERT INTO "hippo_step" VALUES(4,7,2,0,'first',7,'{"slope": 2.7684397460521963}',2.17119995795656e-05);
INSERT INTO "hippo_step" VALUES(4,7,3,0,'first',7,'{"slope": 2.2048629992259308}',2.13620005524717271327e-05);
INSERT INTO "hippo_step" VALUES(4,7,4,0,'first',7,'{"slope": 2.1186572291662715}',2.36449996009469032287e-05);
INSERT INTO "hippo_step" VALUES(4,8,1,0,'first',7,'{"slope": 3.052415687658902}',3.38099998771213e-05);
INSERT INTO "hippo_step" VALUES(4,8,2,0,'first',7,'{"slope": 2.463198177286306}',2.17120032175444066524e-05);
INSERT INTO "hippo_step" VALUES(4,8,3,0,'first',7,'{"slope": 1.683825769607999}',2.01199982257094234228e-05);
INSERT INTO "hippo_step" VALUES(4,8,4,0,'first',7,'{"slope": 1.481341145549333}',2.44359980570152401924e-05);
INSERT INTO "hippo_step" VALUES(6,1,1,0,'first',8,'{"slope": 2.1684074606012884}',7.14560010237619280815e-05);
INSERT INTO "hippo_step" VALUES(6,1,2,0,'first',8,'{"slope": 1.8679250176159752}',3.87780019082129e-05);
INSERT INTO "hippo_step" VALUES(6,1,2,1,'check',8,'{}',3.4195000080217141658e-04);
INSERT INTO "hippo_step" VALUES(6,1,1,1,'check',8,'{}',3.4195000080217141658e-04);
INSERT INTO "hippo_step" VALUES(6,2,3,0,'first',8,'{"slope": 1.34201546402799}',4.22329976572655141353e-05);
INSERT INTO "hippo_step" VALUES(6,2,4,0,'first',8,'{"slope": 0.6407135808954549}',2.35249972320161759853e-05);
INSERT INTO "hippo_step" VALUES(6,2,5,0,'first',8,'{"slope": 1.0027943257728258}',2.18120003410149365663e-05);
INSERT INTO "hippo_step" VALUES(6,2,6,0,'first',8,'{"slope": 0.5853755636581198}',2.20830006583128124475e-05);
INSERT INTO "hippo_step" VALUES(6,2,6,1,'check',8,'{}',3.28287995216669514775e-04);
INSERT INTO "hippo_step" VALUES(7,1,1,0,'first',8,'{"slope": 1.8204734693921991}',4.95940003020223230123e-05);
INSERT INTO "hippo_step" VALUES(7,1,2,0,'first',8,'{"slope": 1.0129464744554326}',3.32800009346101433038e-05);
INSERT INTO "hippo_step" VALUES(7,1,2,1,'check',8,'{}',3.04438999592093750834e-04);
INSERT INTO "hippo_step" VALUES(7,1,1,1,'check',8,'{}',3.04438999592093750834e-04);
INSERT INTO "hippo_step" VALUES(7,2,3,0,'first',8,'{"slope": 0.6506759985261135}',3.77459982701111584901e-05);
INSERT INTO "hippo_step" VALUES(7,2,4,0,'first',8,'{"slope": 0.7401767771860555}',2.24930008698720484972e-05);
INSERT INTO "hippo_step" VALUES(7,2,5,0,'first',8,'{"slope": 1.0691183361208285}',2.12509985431097447872e-05);
INSERT INTO "hippo_step" VALUES(7,2,6,0,'first',8,'{"slope": 0.49019393919559034}',2.10309990507084876298e-05);
INSERT INTO "hippo_step" VALUES(7,2,6,1,'check',8,'{}',3.43482992320787161588e-04);
INSERT INTO "hippo_step" VALUES(6,3,1,0,'first',8,'{"slope": 2.1684074606012884}',3.78160002583172172307e-05);
INSERT INTO "hippo_step" VALUES(6,3,2,0,'first',8,'{"slope": 1.8679250176159752}',2.30039986490737646818e-05);
INSERT INTO "hippo_step" VALUES(6,3,3,0,'first',8,'{"slope": 1.34201546402799}',2.0290000975364819169e-05);
INSERT INTO "hippo_step" VALUES(6,4,4,0,'first',8,'{"slope": 0.5107605324678837}',3.46519991580862551927e-05);
INSERT INTO "hippo_step" VALUES(6,4,5,0,'first',8,'{"slope": 0.8579323944083574}',3.28189998981542885303e-05);
INSERT INTO "hippo_step" VALUES(6,4,6,0,'first',8,'{"slope": 0.46224292199832184}',2.15020008909050375223e-05);
INSERT INTO "hippo_step" VALUES(7,3,1,0,'first',8,'{"slope": 1.8204734693921991}',3.48119974660221487283e-05);
INSERT INTO "hippo_step" VALUES(7,3,2,0,'first',8,'{"slope": 1.0129464744554326}',2.19030007428955286741e-05);
INSERT INTO "hippo_step" VALUES(7,3,3,0,'first',8,'{"slope": 0.6506759985261135}',2.03600029635708779096e-05);
INSERT INTO "hippo_step" VALUES(7,4,4,0,'first',8,'{"slope": 0.6596654366446015}',3.8398000469896942377e-05);
INSERT INTO "hippo_step" VALUES(7,4,5,0,'first',8,'{"slope": 0.9861571463087493}',2.10909965971950441598e-05);
INSERT INTO "hippo_step" VALUES(7,4,6,0,'first',8,'{"slope": 0.43202449565438983}',1.96799992409069091081e-05);
INSERT INTO "hippo_step" VALUES(6,5,1,0,'first',8,'{"slope": 2.1684074606012884}',3.50430018443148583173e-05);
INSERT INTO "hippo_step" VALUES(6,5,2,0,'first',8,'{"slope": 1.8679250176159752}',2.16119988181162625551e-05);
INSERT INTO "hippo_step" VALUES(6,5,3,0,'first',8,'{"slope": 1.34201546402799}',2.85729984170757234096e-05);
INSERT INTO "hippo_step" VALUES(6,5,4,0,'first',8,'{"slope": 0.5107605324678837}',2.21230002352967858314e-05);
INSERT INTO "hippo_step" VALUES(6,6,5,0,'first',8,'{"slope": 0.7873892275148278}',3.39100006385706365108e-05);
INSERT INTO "hippo_step" VALUES(6,6,6,0,'first',8,'{"slope": 0.40228123013882156}',2.0950999896740540862e-05);
INSERT INTO "hippo_step" VALUES(7,5,1,0,'first',8,'{"slope": 1.8204734693921991}',3.53930008714087307453e-05);
INSERT INTO "hippo_step" VALUES(7,5,2,0,'first',8,'{"slope": 1.0129464744554326}',2.16619991988409310579e-05);
INSERT INTO "hippo_step" VALUES(7,5,3,0,'first',8,'{"slope": 0.6506759985261135}',1.97600020328536629676e-05);
INSERT INTO "hippo_step" VALUES(7,5,4,0,'first',8,'{"slope": 0.6596654366446015}',1.96800028788857161998e-05);
INSERT INTO "hippo_step" VALUES(7,6,5,0,'first',8,'{"slope": 0.9043369582843224}',1.04615999589441344141e-04);
INSERT INTO "hippo_step" VALUES(7,6,6,0,'first',8,'{"slope": 0.3479171524822031}',2.18619970837607979774e-05);
INSERT INTO "hippo_step" VALUES(6,7,1,0,'first',8,'{"slope": 2.1684074606012884}',3.45219996233936399221e-05);
INSERT INTO "hippo_step" VALUES(6,7,2,0,'first',8,'{"slope": 1.8679250176159752}',2.24040013563353568315e-05);
INSERT INTO "hippo_step" VALUES(6,7,3,0,'first',8,'{"slope": 1.34201546402799}',2.00799986487254500389e-05);
INSERT INTO "hippo_step" VALUES(6,7,4,0,'first',8,'{"slope": 0.5107605324678837}',1.98699999600648880004e-05);
INSERT INTO "hippo_step" VALUES(6,7,5,0,'first',8,'{"slope": 0.7873892275148278}',1.92789993889164179563e-05);
INSERT INTO "hippo_step" VALUES(6,8,6,0,'first',8,'{"slope": 0.2841728460115974}',3.37010023940820246934e-05);
INSERT INTO "hippo_step" VALUES(7,7,1,0,'first',8,'{"slope": 1.8204734693921991}',3.7195997720118612051e-05);
INSERT INTO "hippo_step" VALUES(7,7,2,0,'first',8,'{"slope": 1.0129464744554326}',2.12820013985037803649e-05);
INSERT INTO "hippo_step" VALUES(7,7,3,0,'first',8,'{"slope": 0.6506759985261135}',2.02199989871587604284e-05);
INSERT INTO "hippo_step" VALUES(7,7,4,0,'first',8,'{"slope": 0.6596654366446015}',2.02800001716241240501e-05);
INSERT INTO "hippo_step" VALUES(7,7,5,0,'first',8,'{"slope": 0.9043369582843224}',1.97790031961631029844e-05);
INSERT INTO "hippo_step" VALUES(7,8,6,0,'first',8,'{"slope": 0.25716356257647643}',3.26379995385650545358e-05);
INSERT INTO "hippo_step" VALUES(7,9,1,0,'first',8,'{"slope": 1.8204734693921991}',5.26080002600792795419e-05);
INSERT INTO "hippo_step" VALUES(7,9,2,0,'first',8,'{"slope": 1.0129464744554326}',2.42360001720953732728e-05);
INSERT INTO "hippo_step" VALUES(7,10,3,0,'first',8,'{"slope": 0.6506759985261135}',3.05760004266630858182e-05);
INSERT INTO "hippo_step" VALUES(7,10,4,0,'first',8,'{"slope": 0.8045858496192188}',2.01900002139154821634e-05);
INSERT INTO "hippo_step" VALUES(7,10,5,0,'first',8,'{"slope": 1.2220253407422799}',1.96189976122695952653e-05);
INSERT INTO "hippo_step" VALUES(7,10,6,0,'first',8,'{"slope": 0.7296420188318229}',2.77910003205761313438e-05);
INSERT INTO "hippo_step" VALUES(7,11,1,0,'first',8,'{"slope": 1.8204734693921991}',3.6814999475609511137e-05);
INSERT INTO "hippo_step" VALUES(7,11,2,0,'first',8,'{"slope": 1.0129464744554326}',2.21730006160214543342e-05);
INSERT INTO "hippo_step" VALUES(7,11,3,0,'first',8,'{"slope": 0.6506759985261135}',2.07209996005985885858e-05);
INSERT INTO "hippo_step" VALUES(7,11,4,0,'first',8,'{"slope": 0.6596654366446015}',1.94889980775769799947e-05);
INSERT INTO "hippo_step" VALUES(7,12,5,0,'first',8,'{"slope": 0.9043369582843224}',9.17869998374953866004e-04);
INSERT INTO "hippo_step" VALUES(7,12,6,0,'first',8,'{"slope": 0.4205200244067845}',2.37150015891529619693e-05);
INSERT INTO "hippo_step" VALUES(7,13,1,0,'first',8,'{"slope": 1.8204734693921991}',3.53430004906840622425e-05);
INSERT INTO "hippo_step" VALUES(7,13,2,0,'first',8,'{"slope": 1.0129464744554326}',2.24930008698720484972e-05);
INSERT INTO "hippo_step" VALUES(7,13,3,0,'first',8,'{"slope": 0.6506759985261135}',2.02899973373860120773e-05);
INSERT INTO "hippo_step" VALUES(7,13,4,0,'first',8,'{"slope": 0.6596654366446015}',1.97490007849410176277e-05);
INSERT INTO "hippo_step" VALUES(7,13,5,0,'first',8,'{"slope": 0.9043369582843224}',2.07009979931172e-05);
INSERT INTO "hippo_step" VALUES(7,13,6,0,'first',8,'{"slope": 0.25716356257647643}',4.48069986305199563503e-05);
INSERT INTO "hippo_step" VALUES(6,9,1,0,'first',8,'{"slope": 2.1684074606012884}',3.47420027537737041711e-05);
INSERT INTO "hippo_step" VALUES(6,9,2,0,'first',8,'{"slope": 1.8679250176159752}',2.22130001930054277181e-05);
INSERT INTO "hippo_step" VALUES(6,10,3,0,'first',8,'{"slope": 1.34201546402799}',2.92639997496735304594e-05);
INSERT INTO "hippo_step" VALUES(6,10,4,0,'first',8,'{"slope": 0.7770542221796604}',2.00799986487254500389e-05);
INSERT INTO "hippo_step" VALUES(6,10,5,0,'first',8,'{"slope": 1.2119303775259596}',1.91580002137925475835e-05);
INSERT INTO "hippo_step" VALUES(6,10,6,0,'first',8,'{"slope": 0.9085728529513986}',1.91389990504831075668e-05);
INSERT INTO "hippo_step" VALUES(6,11,1,0,'first',8,'{"slope": 2.1684074606012884}',3.57329990947619080543e-05);
INSERT INTO "hippo_step" VALUES(6,11,2,0,'first',8,'{"slope": 1.8679250176159752}',2.12119994102977216243e-05);
INSERT INTO "hippo_step" VALUES(6,11,3,0,'first',8,'{"slope": 1.34201546402799}',2.02209994313307106494e-05);
INSERT INTO "hippo_step" VALUES(6,11,4,0,'first',8,'{"slope": 0.5107605324678837}',1.97890003619249910116e-05);
INSERT INTO "hippo_step" VALUES(6,12,5,0,'first',8,'{"slope": 0.7873892275148278}',3.40209990099538117647e-05);
INSERT INTO "hippo_step" VALUES(6,12,6,0,'first',8,'{"slope": 0.49676793744060094}',1.97800000023562461137e-05);
INSERT INTO "hippo_step" VALUES(6,13,1,0,'first',8,'{"slope": 2.1684074606012884}',3.38309982907958328723e-05);
INSERT INTO "hippo_step" VALUES(6,13,2,0,'first',8,'{"slope": 1.8679250176159752}',2.12609993468504399061e-05);
INSERT INTO "hippo_step" VALUES(6,13,3,0,'first',8,'{"slope": 1.34201546402799}',2.06010008696466684341e-05);
INSERT INTO "hippo_step" VALUES(6,13,4,0,'first',8,'{"slope": 0.5107605324678837}',2.05309988814406096935e-05);
INSERT INTO "hippo_step" VALUES(6,13,5,0,'first',8,'{"slope": 0.7873892275148278}',2.31250014621764421463e-05);
INSERT INTO "hippo_step" VALUES(6,13,6,0,'first',8,'{"slope": 0.2841728460115974}',1.92490006156731396913e-05);
INSERT INTO "hippo_step" VALUES(8,1,1,0,'first',9,'{"slope": 2.1684074606012884}',6.86120001773815602064e-05);
INSERT INTO "hippo_step" VALUES(8,1,2,0,'first',9,'{"slope": 1.8679250176159752}',3.35400000039953738451e-05);
INSERT INTO "hippo_step" VALUES(8,1,2,1,'check',9,'{}',3.32420497215935029089e-04);
INSERT INTO "hippo_step" VALUES(8,1,1,1,'check',9,'{}',3.32420497215935029089e-04);
INSERT INTO "hippo_step" VALUES(8,1,3,0,'first',9,'{"slope": 1.3420154640279898}',2.71499993687029927968e-05);
INSERT INTO "hippo_step" VALUES(8,1,3,1,'check',9,'{}',2.85345002339454367756e-04);
INSERT INTO "hippo_step" VALUES(9,1,1,0,'first',9,'{"slope": 1.8204734693921991}',5.52929996047169e-05);
INSERT INTO "hippo_step" VALUES(9,1,2,0,'first',9,'{"slope": 1.0129464744554324}',3.09959978039842098951e-05);
INSERT INTO "hippo_step" VALUES(9,1,2,1,'check',9,'{}',3.67152500984957441687e-04);
INSERT INTO "hippo_step" VALUES(9,1,1,1,'check',9,'{}',3.67152500984957441687e-04);
INSERT INTO "hippo_step" VALUES(9,1,3,0,'first',9,'{"slope": 0.6506759985261132}',2.61089990090113133192e-05);
INSERT INTO "hippo_step" VALUES(9,1,3,1,'check',9,'{}',2.89573003101395443081e-04);
INSERT INTO "hippo_step" VALUES(8,2,1,0,'first',9,'{"slope": 2.1684074606012884}',3.86669998988509178161e-05);
INSERT INTO "hippo_step" VALUES(8,2,2,0,'first',9,'{"slope": 2.301606509736233}',2.5207998987752944231e-05);
INSERT INTO "hippo_step" VALUES(8,2,3,0,'first',9,'{"slope": 2.028646979470856}',2.0670999219873920083e-05);
INSERT INTO "hippo_step" VALUES(8,3,1,0,'first',9,'{"slope": 2.1684074606012884}',3.54730000253766775131e-05);
INSERT INTO "hippo_step" VALUES(9,2,1,0,'first',9,'{"slope": 1.8204734693921991}',4.18029994762036949396e-05);
INSERT INTO "hippo_step" VALUES(9,2,2,0,'first',9,'{"slope": 1.3770411683338724}',2.64789996435865759849e-05);
INSERT INTO "hippo_step" VALUES(9,2,3,0,'first',9,'{"slope": 1.180950517907796}',2.20930014620535075664e-05);
INSERT INTO "hippo_step" VALUES(9,3,1,0,'first',9,'{"slope": 1.8204734693921991}',3.49629990523681044578e-05);
INSERT INTO "hippo_step" VALUES(2,2,1,1,'not kept',12,'{"slope": 1.8204734693921991}',6.89219996274914592504e-05);
INSERT INTO "hippo_step" VALUES(2,2,2,1,'not kept',12,'{"slope": 1.3770411683338724}',2.85729984170757234096e-05);
INSERT INTO "hippo_step" VALUES(2,2,3,0,'first',12,'{"slope": 1.180950517907796}',5.67640017834492e-05);
INSERT INTO "hippo_step" VALUES(2,1,1,2,'evicted',12,'{"slope": 1.8204734693921991}',4.89929989271331578493e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,2,'evicted',12,'{"slope": 1.0129464744554324}',3.60240010195411741733e-05);
INSERT INTO "hippo_step" VALUES(2,1,3,0,'first',12,'{"slope": 0.6506759985261132}',2.18120003410149365663e-05);
INSERT INTO "hippo_step" VALUES(10,1,1,0,'first',13,'{"slope": 2.4312602861125443}',7.06259997969027608633e-05);
INSERT INTO "hippo_step" VALUES(10,1,2,0,'first',13,'{"slope": 1.7388022736157291}',3.02049993479158729314e-05);
INSERT INTO "hippo_step" VALUES(10,1,2,1,'check',13,'{}',3.22476002111216075718e-04);
INSERT INTO "hippo_step" VALUES(10,1,1,1,'check',13,'{}',3.22476002111216075718e-04);
INSERT INTO "hippo_step" VALUES(10,1,3,0,'first',13,'{"slope": 0.9041005220283093}',2.66899987764190882444e-05);
INSERT INTO "hippo_step" VALUES(10,1,3,1,'check',13,'{}',3.19796999974641948938e-04);
INSERT INTO "hippo_step" VALUES(10,2,1,0,'first',13,'{"slope": 2.4312602861125443}',4.36160007666330784559e-05);
INSERT INTO "hippo_step" VALUES(10,2,2,0,'first',13,'{"slope": 2.2250543308382382}',2.66999995801597833633e-05);
INSERT INTO "hippo_step" VALUES(10,2,3,0,'first',13,'{"slope": 1.5593042028278457}',2.17720007640309631824e-05);
INSERT INTO "hippo_step" VALUES(10,3,1,0,'first',13,'{"slope": 2.4312602861125443}',3.8047000998631119728e-05);
INSERT INTO "hippo_step" VALUES(10,3,2,0,'first',13,'{"slope": 1.9819283022269838}',2.24430004891473799943e-05);
INSERT INTO "hippo_step" VALUES(10,3,3,0,'first',13,'{"slope": 1.1422979468550178}',2.07310004043392837047e-05);
INSERT INTO "hippo_step" VALUES(11,1,1,0,'first',14,'{"slope": 2.1684074606012884}',6.92739995429292321205e-05);
INSERT INTO "hippo_step" VALUES(11,1,2,0,'first',14,'{"slope": 1.8679250176159752}',3.2218002161243930459e-05);
INSERT INTO "hippo_step" VALUES(11,1,2,1,'check',14,'{}',3.36002000040025450289e-04);
INSERT INTO "hippo_step" VALUES(11,1,1,1,'check',14,'{}',3.36002000040025450289e-04);
INSERT INTO "hippo_step" VALUES(11,1,3,0,'first',14,'{"slope": 1.3420154640279898}',4.55879999208264052867e-05);
INSERT INTO "hippo_step" VALUES(11,1,3,1,'check',14,'{}',3.22900999890407547354e-04);
INSERT INTO "hippo_step" VALUES(11,2,1,0,'first',14,'{"slope": 2.1684074606012884}',4.16830007452517747879e-05);
INSERT INTO "hippo_step" VALUES(11,2,2,0,'first',14,'{"slope": 2.301606509736233}',2.33149985433556139469e-05);
INSERT INTO "hippo_step" VALUES(11,2,3,0,'first',14,'{"slope": 2.028646979470856}',2.06510012503713369369e-05);
INSERT INTO "hippo_step" VALUES(11,3,1,0,'first',14,'{"slope": 2.1684074606012884}',3.78469994757324457168e-05);
INSERT INTO "hippo_step" VALUES(11,3,2,0,'first',14,'{"slope": 2.0847657636761037}',2.23740025830920785665e-05);
INSERT INTO "hippo_step" VALUES(11,3,3,0,'first',14,'{"slope": 1.6658477387955193}',2.05500000447500497102e-05);
INSERT INTO "hippo_step" VALUES(12,1,1,0,'first',15,'{"slope": 1.8204734693921991}',6.95930029905866831541e-05);
INSERT INTO "hippo_step" VALUES(12,1,2,0,'first',15,'{"slope": 1.0129464744554324}',2.96750004054047167301e-05);
INSERT INTO "hippo_step" VALUES(12,1,2,1,'check',15,'{}',3.19186498018098063766e-04);
INSERT INTO "hippo_step" VALUES(12,1,1,1,'check',15,'{}',3.19186498018098063766e-04);
INSERT INTO "hippo_step" VALUES(12,1,3,0,'first',15,'{"slope": 0.6506759985261132}',2.58489999396260827779e-05);
INSERT INTO "hippo_step" VALUES(12,1,3,1,'check',15,'{}',2.84724999801255762577e-04);
INSERT INTO "hippo_step" VALUES(12,2,1,0,'first',15,'{"slope": 1.8204734693921991}',4.54580003861337900161e-05);
INSERT INTO "hippo_step" VALUES(12,2,2,0,'first',15,'{"slope": 1.3770411683338724}',2.3905999114504083991e-05);
INSERT INTO "hippo_step" VALUES(12,2,3,0,'first',15,'{"slope": 1.180950517907796}',2.04600000870414078235e-05);
INSERT INTO "hippo_step" VALUES(12,3,1,0,'first',15,'{"slope": 1.8204734693921991}',3.76759999198839068412e-05);
INSERT INTO "hippo_step" VALUES(12,3,2,0,'first',15,'{"slope": 1.1949938213946525}',2.26440024562180042266e-05);
INSERT INTO "hippo_step" VALUES(12,3,3,0,'first',15,'{"slope": 0.8976085235230326}',2.00899994524661451578e-05);
CREATE TABLE hippo_study (
	study BIGINT NOT NULL, 
	name TEXT NOT NULL, 
	generation BIGINT NOT NULL, 
	settings TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	PRIMARY KEY (study)
);
INSERT INTO "hippo_study" VALUES(1,'changed',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696524531054494e+09,0);
INSERT INTO "hippo_study" VALUES(2,'changed seeds',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696529260897639e+09,0);
INSERT INTO "hippo_study" VALUES(3,'gone',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696533574271204e+09,1);
INSERT INTO "hippo_study" VALUES(4,'gone seeds (seed 0)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696536414360999e+09,1);
INSERT INTO "hippo_study" VALUES(5,'plain',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696539100193979e+09,0);
INSERT INTO "hippo_study" VALUES(6,'averaged',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696545148420338e+09,0);
INSERT INTO "hippo_study" VALUES(7,'median',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"median\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696554275727265e+09,0);
INSERT INTO "hippo_study" VALUES(8,'private',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": false}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696564849758144e+09,0);
INSERT INTO "hippo_study" VALUES(9,'failing',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {"raise_at": 1, "raise_if": {"lr": 0.2}, "raise_in": "train"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696573578310009e+09,0);
INSERT INTO "hippo_study" VALUES(10,'broken',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7953169658043241501e+09,0);
INSERT INTO "hippo_study" VALUES(11,'loop (seed 0)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696584386110302e+09,0);
INSERT INTO "hippo_study" VALUES(12,'loop (seed 1)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696593315386774e+09,0);
INSERT INTO "hippo_study" VALUES(13,'alone (seed 5)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696598429203032e+09,0);
INSERT INTO "hippo_study" VALUES(14,'changed',2,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79531696603767156605e+09,0);
INSERT INTO "hippo_study" VALUES(15,'changed seeds',2,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"aggregate\": \"mean\", \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7953169660885920525e+09,0);
CREATE TABLE hippo_studyplan (
	study BIGINT NOT NULL, 
	member VARCHAR(255) NOT NULL, 
	"plan" BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	PRIMARY KEY (study, member)
);
INSERT INTO "hippo_studyplan" VALUES(1,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(2,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(2,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(3,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(4,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(5,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(6,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(6,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 10',3,0);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 9',4,1);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 2',5,2);
INSERT INTO "hippo_studyplan" VALUES(8,'seed 0',6,0);
INSERT INTO "hippo_studyplan" VALUES(8,'seed 1',7,1);
INSERT INTO "hippo_studyplan" VALUES(9,'seed 0',8,0);
INSERT INTO "hippo_studyplan" VALUES(9,'seed 1',9,1);
INSERT INTO "hippo_studyplan" VALUES(10,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(10,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(11,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(12,'',2,0);
INSERT INTO "hippo_studyplan" VALUES(13,'',10,0);
INSERT INTO "hippo_studyplan" VALUES(14,'',11,0);
INSERT INTO "hippo_studyplan" VALUES(15,'seed 0',11,0);
INSERT INTO "hippo_studyplan" VALUES(15,'seed 1',12,1);
CREATE TABLE hippo_trial (
	study BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	member VARCHAR(255) NOT NULL, 
	call BIGINT NOT NULL, 
	config TEXT NOT NULL, 
	occurrence BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	until BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	loss FLOAT, 
	error TEXT NOT NULL, 
	PRIMARY KEY (study, number, member)
);
INSERT INTO "hippo_trial" VALUES(1,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(1,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(1,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(2,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(2,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',3.46702726700412355853e-01,'');
INSERT INTO "hippo_trial" VALUES(2,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(2,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',8.40791501404191121693e-01,'');
INSERT INTO "hippo_trial" VALUES(2,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(2,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',5.48236506016316904599e-01,'');
INSERT INTO "hippo_trial" VALUES(3,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(3,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(3,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(4,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(4,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(4,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(5,0,'',0,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,5,8,8,'COMPLETE',5.36679917211631773987e-01,'');
INSERT INTO "hippo_trial" VALUES(5,1,'',0,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(5,2,'',0,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(5,3,'',1,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,6,3,3,'COMPLETE',5.3663966915495964205e-01,'');
INSERT INTO "hippo_trial" VALUES(5,4,'',2,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,4,4,'COMPLETE',2.23213293678280799703e-01,'');
INSERT INTO "hippo_trial" VALUES(5,5,'',2,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,4,4,'COMPLETE',1.39502269722085259218e+00,'');
INSERT INTO "hippo_trial" VALUES(5,6,'',2,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',5.75038785924799844551e-01,'');
INSERT INTO "hippo_trial" VALUES(6,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',2.97294671509526035879e-02,'');
INSERT INTO "hippo_trial" VALUES(6,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,4,4,4,'COMPLETE',1.47709626774003947857e-02,'');
INSERT INTO "hippo_trial" VALUES(6,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,8,2,2,'PRUNED',2.83731800532720547514e-02,'');
INSERT INTO "hippo_trial" VALUES(6,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,5,2,2,'PRUNED',5.84779541630101734606e-02,'');
INSERT INTO "hippo_trial" VALUES(6,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,9,2,2,'PRUNED',8.11459959902893629424e-02,'');
INSERT INTO "hippo_trial" VALUES(6,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,6,2,2,'PRUNED',8.36383398944945816166e-02,'');
INSERT INTO "hippo_trial" VALUES(6,3,'seed 0',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,10,4,4,'COMPLETE',3.75809936623116500054e-02,'');
INSERT INTO "hippo_trial" VALUES(6,3,'seed 1',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',2.52980538100900827214e-02,'');
INSERT INTO "hippo_trial" VALUES(6,4,'seed 0',0,'{"lr": {"arguments": {"value": 0.4}, "sequence": "Constant"}}',0,11,2,2,'PRUNED',4.14370506144176198315e-01,'');
INSERT INTO "hippo_trial" VALUES(6,4,'seed 1',0,'{"lr": {"arguments": {"value": 0.4}, "sequence": "Constant"}}',0,8,2,2,'PRUNED',2.14043241468818923323e-01,'');
INSERT INTO "hippo_trial" VALUES(6,5,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'PRUNED',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(6,5,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'PRUNED',3.46702726700412355853e-01,'');
INSERT INTO "hippo_trial" VALUES(6,6,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',5.75038785924799844551e-01,'');
INSERT INTO "hippo_trial" VALUES(6,6,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',2.57630818854511778326e-01,'');
INSERT INTO "hippo_trial" VALUES(6,7,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'PRUNED',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(6,7,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'PRUNED',8.40791501404191121693e-01,'');
INSERT INTO "hippo_trial" VALUES(6,8,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,5,8,8,'COMPLETE',5.36679917211631773987e-01,'');
INSERT INTO "hippo_trial" VALUES(6,8,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,8,8,'COMPLETE',2.49982710010650699405e-01,'');
INSERT INTO "hippo_trial" VALUES(6,9,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(6,9,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,9,2,2,'PRUNED',3.46702726700412466875e-01,'');
INSERT INTO "hippo_trial" VALUES(6,10,'seed 0',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(6,10,'seed 1',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,9,2,2,'PRUNED',3.46702726700412466875e-01,'');
INSERT INTO "hippo_trial" VALUES(6,11,'seed 0',2,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,6,3,3,'COMPLETE',5.3663966915495964205e-01,'');
INSERT INTO "hippo_trial" VALUES(6,11,'seed 1',2,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,11,3,3,'COMPLETE',2.88935521222246749495e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',1.33690055788047601481e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',2.66189359571479211563e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',1.63811975665471093455e-01,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',0.0938679365487936,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',1.84298607178509932236e-01,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',1.21094118427294880624e-01,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',0.0700027185796051,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',1.24971060851245693856e-01,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',9.4582694223057164895e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',5.08988176774122780265e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',8.98643498335482404648e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',7.76072621137675194846e-02,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 10',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',1.30757502192459296175e-01,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 9',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',2.3358475248968940674e-01,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 2',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',1.38764190642373469453e-01,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 10',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',9.44504798190313743511e-01,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 9',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',1.72886414607099814233e+00,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 2',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',7.88327548346733797401e-01,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 10',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',3.67052738339105733e-01,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 9',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',0.674444448271187,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 2',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',3.37744321898001131909e-01,'');
INSERT INTO "hippo_trial" VALUES(8,0,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',2.26667199277784642275e-01,'');
INSERT INTO "hippo_trial" VALUES(8,0,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',9.64900945672641507933e-02,'');
INSERT INTO "hippo_trial" VALUES(8,1,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',1.49944231051947735045e-01,'');
INSERT INTO "hippo_trial" VALUES(8,1,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',7.42565240515961205725e-02,'');
INSERT INTO "hippo_trial" VALUES(8,2,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,6,6,6,'COMPLETE',1.19647556551142481007e-01,'');
INSERT INTO "hippo_trial" VALUES(8,2,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,6,6,6,'COMPLETE',5.16188940089207931594e-02,'');
INSERT INTO "hippo_trial" VALUES(8,3,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,8,6,6,'COMPLETE',7.5508605687154936592e-02,'');
INSERT INTO "hippo_trial" VALUES(8,3,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,8,6,6,'COMPLETE',2.66668449025996082135e-02,'');
INSERT INTO "hippo_trial" VALUES(8,4,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,6,6,'COMPLETE',6.07989359678965168853e-01,'');
INSERT INTO "hippo_trial" VALUES(8,4,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,6,6,'COMPLETE',0.273178385410801,'');
INSERT INTO "hippo_trial" VALUES(8,5,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,12,6,6,'COMPLETE',1.98057541203323250744e-01,'');
INSERT INTO "hippo_trial" VALUES(8,5,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,12,6,6,'COMPLETE',9.68561733671514379917e-02,'');
INSERT INTO "hippo_trial" VALUES(8,6,'seed 0',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,13,6,6,'COMPLETE',6.04907179549777213045e-02,'');
INSERT INTO "hippo_trial" VALUES(8,6,'seed 1',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,13,6,6,'COMPLETE',2.07266119897596343135e-02,'');
INSERT INTO "hippo_trial" VALUES(9,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(9,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(9,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(9,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(9,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,0,'FAIL',NULL,'train() at step 2: ValueError: told to raise in train after 1 steps');
INSERT INTO "hippo_trial" VALUES(9,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,0,'FAIL',NULL,'train() at step 2: ValueError: told to raise in train after 1 steps');
INSERT INTO "hippo_trial" VALUES(10,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,7,4,4,'PAUSED',2.97294671509526035879e-02,'');
INSERT INTO "hippo_trial" VALUES(10,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,4,4,4,'PAUSED',1.47709626774003947857e-02,'');
INSERT INTO "hippo_trial" VALUES(10,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,8,2,2,'PAUSED',2.83731800532720547514e-02,'');
INSERT INTO "hippo_trial" VALUES(10,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,5,2,2,'PAUSED',5.84779541630101734606e-02,'');
INSERT INTO "hippo_trial" VALUES(10,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,9,2,2,'PAUSED',8.11459959902893629424e-02,'');
INSERT INTO "hippo_trial" VALUES(10,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,6,2,2,'PAUSED',8.36383398944945816166e-02,'');
INSERT INTO "hippo_trial" VALUES(10,3,'seed 0',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,10,2,2,'PAUSED',1.98702824463176247471e-01,'');
INSERT INTO "hippo_trial" VALUES(10,3,'seed 1',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,7,2,2,'PAUSED',1.31486903251190723196e-01,'');
INSERT INTO "hippo_trial" VALUES(11,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(11,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(11,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(12,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(12,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(12,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',3.90969371771953733141e-01,'');
INSERT INTO "hippo_trial" VALUES(13,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.53827371313222671656e-01,'');
INSERT INTO "hippo_trial" VALUES(13,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.51430391728925428651e+00,'');
INSERT INTO "hippo_trial" VALUES(13,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',7.62230500362588214713e-01,'');
INSERT INTO "hippo_trial" VALUES(14,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(14,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(14,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(15,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(15,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(15,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(15,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(15,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(15,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',3.90969371771953733141e-01,'');
CREATE INDEX hippo_trial_by_loss ON hippo_trial (study, state, loss, number, call, step);
CREATE INDEX hippo_request_by_call ON hippo_request (study, call);
COMMIT;
